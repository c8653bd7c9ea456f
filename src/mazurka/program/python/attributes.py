"""Where an attribute lives, and so which location an access to it touches.

===========================================  ==========================================================
what the class says                          location
===========================================  ==========================================================
nothing, or a slot                           the instance's attribute
a function, class or method                  none; the instance's attribute if that may hide it
a data descriptor (property ...)             none: its own code is tracked, or opaque
another descriptor (cached_property ...)     the instance's attribute: that is where it keeps its result
any other value                              the instance's attribute, and the class's while that shows through
===========================================  ==========================================================

An attribute of a class is a location of the class that has it, and of those that come before it and might get it, of
all if none has it; an attribute of a module is the module's global.
What was found out is kept by class and name, and forgotten between runs.

Cost: two dictionary look-ups for what was seen before.
"""

from __future__ import annotations

import types
from enum import EnumType
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import objects, sites
from mazurka.program.python.containers import OPERATIONS, forget_shapes, shape_of, shapes
from mazurka.program.python.locations import bases
from mazurka.program.python.objects import is_a, number
from mazurka.trace.event import Op

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW

#: How an attribute of instances of a class is found; any other entry is the class whose value shows through.
NONE: Final = 0
INSTANCE: Final = 1
DICTIONARY: Final = 3
OF_CLASS: Final = 4
OF_MODULE: Final = 5
OPAQUE: Final = 6
LISTED: Final = 20  # the instance's, whose dictionary is looked at: who adds or removes one changes that, too
FOREIGN: Final = 7  # a method that may get something on that is not seen here: a file, a generator

_METHODS: Final = (
    types.FunctionType,
    classmethod,
    staticmethod,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.MethodType,
    type,
)
_NATIVE: Final = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)

#: Classes whose methods change nothing, or nothing that the hooks miss.
_PURE: Final = frozenset(
    {int, str, bytes, float, complex, bool, tuple, frozenset, type(None), object, type, range, slice}
) | (frozenset(OPERATIONS))

#: What is not taken for a variable where modules and classes have it.
CONSTANT: Final = (*_METHODS, types.ModuleType)

#: Packages whose objects may be used by several threads without their methods being tracked: they are values, or
#: meant for it.
HARMLESS: Final = frozenset(
    """_io _pytest _thread _weakref abc argparse array ast asyncio atexit base64 binascii bisect builtins calendar cmath
    codecs collections concurrent contextlib contextvars copy copyreg dataclasses datetime decimal dis enum errno
    faulthandler fractions functools gc genericpath glob greenlet hashlib hmac importlib inspect io ipaddress
    itertools keyword linecache locale logging marshal math mazurka mimetypes numbers operator os pathlib pluggy
    posixpath pprint pytest queue random re secrets select selectors shlex shutil signal site socket ssl stat
    statistics string struct subprocess sys sysconfig tempfile textwrap threading time timeit tokenize traceback
    types typing typing_extensions unicodedata unittest urllib uuid
    warnings weakref zlib _contextvars _operator _functools _collections _collections_abc""".split()
)

#: Packages whose operations tell the kernel themselves what they do.
MODELLED: Final = frozenset("mazurka threading _thread queue concurrent".split())

#: Classes of the models whose attributes are each thread's own.
private: set[type] = set()


def _find(kind: type, name: str) -> tuple[type, Any] | None:
    for each in bases(kind):
        space = type.__dict__["__dict__"].__get__(each)
        if name in space:
            return each, space[name]
    return None


def classify(kind: type, name: str) -> Any:
    """How attribute ``name`` of instances of ``kind`` is found; remembered."""
    attributes = (shapes.get(id(kind)) or shape_of(kind)).attributes
    found = attributes.get(name)
    if found is None:
        found = _classify(kind, name)
        if found is INSTANCE and objects.is_listed(kind):
            found = LISTED
        attributes[name] = found
    return found


def sees_stores(kind: type) -> bool:
    """Whether code of the program may run when an attribute of an instance is stored."""
    own = shape_of(kind).own
    found = own.get(_SEES_STORES)
    if found is None:
        stores = _find(kind, "__setattr__")
        found = own[_SEES_STORES] = stores is not None and bool(stores[0].__flags__ & 1 << 9)
    return bool(found)


#: In `Shape.own`, beside names of attributes.
_SEES_STORES: Final = " stores"


def _classify(kind: type, name: str) -> Any:
    for each in bases(kind):
        if each is type:
            return DICTIONARY if name == "__dict__" else OF_CLASS
        if each is types.ModuleType:
            return OF_MODULE
        for other in private:  # by identity: a metaclass may see to equality itself
            if each is other:
                return NONE
    has_dictionary = bool(type.__dict__["__dictoffset__"].__get__(kind))
    found = _find(kind, name)
    if found is None and has_dictionary:
        return DICTIONARY if name == "__dict__" else INSTANCE
    if name == "__dict__":
        return DICTIONARY if has_dictionary else NONE
    if found is None:
        return INSTANCE if has_dictionary else NONE
    owner, value = found
    if is_a(value, _METHODS):
        if _is_opaque(owner, value):
            return OPAQUE
        if _may_get_on(owner, value):
            return FOREIGN
        return INSTANCE if has_dictionary and name in sites.stored else NONE
    if type(value) is types.MemberDescriptorType:
        return INSTANCE if owner.__flags__ & 1 << 9 else NONE
    descriptor = type(value)
    if _find(descriptor, "__set__") or _find(descriptor, "__delete__"):
        return NONE
    if _find(descriptor, "__get__"):
        return INSTANCE if has_dictionary else NONE
    return owner


def _is_opaque(owner: type, value: Any) -> bool:
    """A method in code that is not tracked, of a class that is not known to be harmless."""
    if type(value) is not types.FunctionType or value.__code__.co_filename in sites.instrumented:
        return False
    module = owner.__dict__.get("__module__", "")
    return is_a(module, str) and module.partition(".")[0] not in HARMLESS and value.__name__ != "__init__"


def root_of(module: object) -> str:
    """The package a module's name starts with."""
    return module.partition(".")[0] if isinstance(module, str) else ""


def _may_get_on(owner: type, value: Any) -> bool:
    """A method whose effect, if it has one, no hook tells of: a loop that calls it may be getting on."""
    if is_a(value, _NATIVE):
        return owner not in _PURE
    if type(value) is not types.FunctionType or value.__code__.co_filename in sites.instrumented:
        return False
    return root_of(owner.__dict__.get("__module__")) not in MODELLED


def read(run: Any, thing: Any, name: str, site: int, how: Any) -> None:
    """An attribute is about to be read that is not simply the instance's."""
    if how is NONE:
        return
    if how is OF_MODULE:
        module_read(run, thing, name, site)
    elif how is OF_CLASS:
        _class_read(run, thing, name, site)
    elif how is DICTIONARY:
        objects.adopt_namespace(thing)
    elif how is FOREIGN:
        run.current.silent += 1
    elif how is OPAQUE:
        _opaque_call(run, thing, name, site)
    elif is_a(how, type):
        if name in objects.dictionary(thing):
            _emit(run, thing, name, site, _READ)
        else:
            _emit(run, thing, name, site, _READ, _reads_of(run, upto(type(thing), how), name))
    else:
        _emit(run, thing, name, site, _READ)


def _emit(run: Any, thing: Any, name: str, site: int, op: Op, more: tuple[Access, ...] = ()) -> None:
    target = ("a", number(thing), name)
    value = None
    if run.detail:
        objects.label(run, target, thing, f".{name}")
        value = objects.peek(lambda: objects.peek_attribute(thing, name), run.names[target])
    run.visit(op, target, site, value, more)


def write(run: Any, thing: Any, name: str, site: int, how: Any, op: Op = _WRITE) -> None:
    """An attribute is about to be stored that is not simply the instance's, or deleted (`op` is RMW, since an attribute
    that is not there can't be)."""
    if how is OF_MODULE:
        module_write(run, thing, name, site, op)
        return
    if how is OF_CLASS:
        space = type.__dict__["__dict__"].__get__(thing)
        if name not in space or is_a(space[name], _METHODS) or _find(type(space[name]), "__get__"):
            forget_shapes()
    elif how is NONE or how is FOREIGN:
        found = _find(type(thing), name)
        if found is None or type(found[1]) is not property:  # whose code would tell
            run.current.silent += 1
        return
    elif how is DICTIONARY:
        _replace_all(run, thing, site)
        return
    if how is LISTED:
        n = number(thing)
        there = name in objects.dictionary(thing)
        changed = () if there and op is _WRITE else (Access(_RMW, ("s", -n)),)
        _emit(run, thing, name, site, _RMW, changed)
        return
    _emit(run, thing, name, site, op)


def _replace_all(run: Any, thing: Any, site: int) -> None:
    """Another dictionary is about to be put in the place of an instance's: all that is known of it is written. What is
    in the new one is seen by those who come to it only."""
    n = number(thing)
    known = {target for target in run.touched if target[0] == "a" and target[1] == n}
    known.update([("a", n, name) for name in list(objects.dictionary(thing))])
    run.visit(_RMW, ("s", -n), site, None, tuple([Access(_WRITE, target) for target in sorted(known, key=repr)]))
    count_untracked(run, f"assignment to {type(thing).__name__}.__dict__", site)


def _class_read(run: Any, thing: Any, name: str, site: int) -> None:
    owners = _owners_of(thing, name)
    if owners:
        _emit(run, owners[0], name, site, _READ, _reads_of(run, owners[1:], name))


def _reads_of(run: Any, kinds: tuple[type, ...], name: str) -> tuple[Access, ...]:
    """Reads of an attribute of these classes."""
    if run.detail:
        for kind in kinds:
            objects.label(run, ("a", number(kind), name), kind, f".{name}")
    return tuple([Access(_READ, ("a", number(kind), name)) for kind in kinds])


def owner_of(kind: type, name: str) -> Any:
    """The class that alone decides what attribute ``name`` of class ``kind`` is: NONE if it never changes, None if
    several do. Remembered, for code that always tells when it changes a class."""
    own = shape_of(kind).own
    if name not in own:
        owners = _owners_of(kind, name)
        own[name] = NONE if not owners else owners[0] if len(owners) == 1 else None
    return own[name]


def _owners_of(kind: type, name: str) -> tuple[type, ...]:
    """The classes that decide what attribute ``name`` of class ``kind`` is: those up to the one that has it, or all if
    none has, since any of them may get it. None if it never changes."""
    if name.startswith("__") or issubclass(type(kind), EnumType):
        return ()
    found = _find(kind, name)
    if found is None:
        return () if _find(type(kind), name) else upto(kind, None)
    if is_a(found[1], CONSTANT) or _find(type(found[1]), "__get__"):
        return ()
    return upto(kind, found[0])


def upto(kind: type, owner: type | None) -> tuple[type, ...]:
    """The classes that instances of ``kind`` are of, the program's own, up to ``owner``."""
    found: list[type] = []
    for each in bases(kind):
        if each.__flags__ & 1 << 9:
            found.append(each)
        if each is owner:
            break
    return tuple(found)


def module_read(run: Any, module: Any, name: str, site: int) -> None:
    """A global is about to be read by way of its module."""
    space = objects.dictionary(module)
    if name not in space or not is_a(space[name], CONSTANT):
        global_access(run, space.get("__name__", "?"), name, site, _READ, space)


def module_write(run: Any, module: Any, name: str, site: int, op: Op = _WRITE) -> None:
    """A global is about to be stored, or deleted, by way of its module."""
    space = objects.dictionary(module)
    file = space.get("__file__")
    if file in sites.instrumented and name not in sites.variables(file):
        count_untracked(
            run, f"assignment to {space.get('__name__', '?')}.{name}, which its module takes for a constant", site
        )
    global_access(run, space.get("__name__", "?"), name, site, op, space)


def global_access(run: Any, module: str, name: str, site: int, op: Op, space: dict[str, Any]) -> None:
    """A module's global is about to be read or stored."""
    target = ("g", module, name)
    value = None
    if run.detail:
        run.names[target] = name
        value = objects.peek(lambda: space.get(name, objects.MISSING), name)
    run.visit(op, target, site, value)


def _opaque_call(run: Any, thing: Any, name: str, site: int) -> None:
    target = ("o", number(thing))
    if run.detail:
        objects.label(run, target, thing)
    run.visit(_RMW, target, site)
    if run.touched.get(target, (0,))[0] == -1:
        count_untracked(run, f"{type(thing).__name__}.{name}()", site)


def count_untracked(run: Any, what: str, site: int) -> None:
    """Something shared was used in a way that is not tracked."""
    text = f"{what} at {sites.location(site)}"
    run.untracked[text] = run.untracked.get(text, 0) + 1


def instance_accesses(thing: Any) -> list[Access]:
    """Reads of all attributes an instance has."""
    n = number(thing)
    return [Access(_READ, ("a", n, name)) for name in list(objects.dictionary(thing))]
