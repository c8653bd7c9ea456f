"""Where an attribute lives, and so which location an access to it touches.

===========================================  ==========================================================
what the class says                          location
===========================================  ==========================================================
nothing, or a slot                           the instance's attribute; each class's, too, if runs showed that
                                             a class gets or loses one of that name while threads run
a function, class or method                  none; the instance's attribute if that may hide it
a data descriptor (property ...)             none: its own code is tracked, or opaque
another descriptor (cached_property ...)     the instance's attribute: that is where it keeps its result
any other value                              the instance's attribute, and the class's while that shows through
what C, or code not instrumented, computes   the object's state (:mod:`native_objects`)
===========================================  ==========================================================

An attribute of a class is a location of the class that has it, and of those that come before it and might get it, of
all if none has it; an attribute of a module is the module's global.
What was found out is kept by class and name, and forgotten between runs.

Cost: two dictionary look-ups for what was seen before.
"""

from __future__ import annotations

import builtins
import functools
import re
import struct
import types
from collections.abc import Callable
from enum import EnumType
from itertools import dropwhile
from typing import Any, Final
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.python import foreign, harmless, kernel, native_objects, objects, sites
from mazurka.program.python.company import has_company
from mazurka.program.python.containers import forget_shapes, shape_of, shapes
from mazurka.program.python.harmless import root_of
from mazurka.program.python.locations import bases
from mazurka.program.python.native_objects import state_of
from mazurka.program.python.objects import is_a, number
from mazurka.trace.event import Op

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW

#: How an attribute of instances of a class is found; any other entry is the class whose value shows through.
NONE: Final = 0
INSTANCE: Final = 1
DICTIONARY: Final = 3
OF_CLASS: Final = 4
OF_MODULE: Final = 5
OPAQUE: Final = 6  # a method written in Python that is not instrumented
FOREIGN: Final = 7  # a method in C of an object with a state: a file, a generator
STATE: Final = 8  # part of an object's state, which C computes
COMPUTED: Final = 9  # what a property or ``__getattr__`` that is not instrumented computes
BESIDE_STATE: Final = 10  # the instance's attribute, which methods that are not instrumented may look at, too
CONTAINER: Final = 11  # a method of a container, see containers.py
GOT_IN_C: Final = 13  # what a property gives whose function is in C
REMADE: Final = 14  # an initialiser in C of what is else never changed
PROPERTY: Final = 15  # what code gives that tells of itself
OF_BASES: Final = 17  # by way of `super`: an attribute of the classes behind one
LISTED: Final = 12  # the instance's, whose dictionary is looked at: who adds or removes one changes that, too

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

#: What is not taken for a variable where modules and classes have it.
CONSTANT: Final = (*_METHODS, types.ModuleType)

#: Attributes of what can be called that hold a dictionary which calls go by: whose.
_PARTS_OF_CODE: Final[dict[str, tuple[type, ...]]] = {
    "__kwdefaults__": (types.FunctionType,),
    "keywords": (functools.partial, functools.partialmethod),
}

#: What tells of the call of a function (:mod:`calls`).
calling: Final[list[Callable[..., None]]] = []

#: Classes of the models whose attributes are each thread's own.
private: set[type] = set()


def find(kind: type, name: str) -> tuple[type, Any] | None:
    """The class that has an attribute of instances of ``kind``, and what it has there."""
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
        found = _classify_apart(kind, name) or _classify(kind, name)
        if found is INSTANCE and objects.is_listed(kind):
            found = LISTED
        attributes[name] = found
    return found


def sees_stores(kind: type) -> bool:
    """Whether code of the program may run when an attribute of an instance is stored."""
    own = shape_of(kind).own
    found = own.get(_SEES_STORES)
    if found is None:
        stores = find(kind, "__setattr__")
        found = own[_SEES_STORES] = stores is not None and bool(stores[0].__flags__ & 1 << 9)
    return bool(found)


#: In `Shape.own`, beside names of attributes.
_SEES_STORES: Final = " stores"


def _classify_apart(kind: type, name: str) -> int:
    """What no rule of classes says: of what stands in for others, and of what calls go by. Else NONE."""
    if native_objects.is_weak_proxy(kind):
        return STATE
    if kind is super:
        return OF_BASES
    owners = _PARTS_OF_CODE.get(name, ())
    return GOT_IN_C if any(each is owner for each in bases(kind) for owner in owners) else NONE


def _classify(kind: type, name: str) -> Any:
    for each in bases(kind):
        if each is type:
            return DICTIONARY if name == "__dict__" else OF_CLASS
        if each is types.ModuleType:
            return OF_MODULE
        for other in private:  # by identity: a metaclass may see to equality itself
            if each is other:
                return NONE
    if name in shape_of(kind).operations:
        return CONTAINER
    has_dictionary = bool(type.__dict__["__dictoffset__"].__get__(kind))
    found = find(kind, name)
    state = state_of(kind)
    in_instance = (INSTANCE if state is native_objects.NOTHING else BESIDE_STATE) if has_dictionary else NONE
    if name == "__dict__":
        return DICTIONARY if has_dictionary else NONE
    if found is None:
        comes = state is native_objects.NOTHING and _comes_and_goes(name)  # then any class may get it
        return COMPUTED if _is_computed_elsewhere(kind) else object if comes else in_instance
    owner, value = found
    if is_a(value, _METHODS):
        how = _method(owner, value, state)
        if how is not NONE or not (name in sites.stored or _comes_and_goes(name)):
            return how
        if _may_be_replaced(name) and owner.__flags__ & 1 << 9:
            return owner  # somebody may give the class another one
        return in_instance if has_dictionary else how
    if type(value) is types.MemberDescriptorType:
        return in_instance or INSTANCE if native_objects.is_in_python(owner) else STATE if state else NONE
    descriptor = type(value)
    if find(descriptor, "__set__") or find(descriptor, "__delete__"):
        return _computed(value, state)
    if find(descriptor, "__get__"):
        return (_bound_natively(descriptor) if state else None) or in_instance
    return owner


def _may_be_replaced(name: str) -> bool:
    """Whether what a class has under a name may be replaced."""
    return name in sites.stored_from_outside or _comes_and_goes(name)


def _comes_and_goes(name: str) -> bool:
    """Whether an attribute of that name is known to be stored by its name, or classes to get or lose one, while
    threads run."""
    run = kernel.active
    return run is not None and not run.is_recording and _coming_and_going(name) in run.points


def _coming_and_going(name: str) -> int:
    """What stands for that among points."""
    return -1 - (crc32(name.encode("utf-8", "surrogatepass")) | 1 << 35)


def _comes_or_goes(run: Any, name: str) -> None:
    """From now on it is known."""
    if not run.is_recording and not _comes_and_goes(name):
        run.sharing.learn((_coming_and_going(name),))
        forget_shapes()


def _bound_natively(descriptor: type) -> Any:
    """How what a descriptor in C gives is found, of a kind of its own, like Cython's methods; or None."""
    if native_objects.is_in_python(descriptor) or harmless.is_harmless_type(descriptor):
        return None
    return FOREIGN if find(descriptor, "__call__") else STATE


def _method(owner: type, value: Any, state: int) -> int:
    """How a function, or method in C, of a class is to be taken when it is called."""
    inner = value.__func__ if type(value) in (classmethod, staticmethod) else value
    if type(inner) is types.FunctionType:
        if is_instrumented(inner) or root_of(inner.__module__) in harmless.MODELLED:
            return NONE
        return NONE if harmless.is_transparent(inner) and harmless.is_harmless_type(owner) else OPAQUE
    if type(inner) is types.BuiltinFunctionType:
        return OPAQUE  # of another object, or of none: that is told when it is called
    if is_a(inner, _NATIVE) and shape_of(inner.__objclass__).base is not None:
        return OPAQUE  # a container's, under another name
    if is_a(inner, _NATIVE) and (inner.__name__ in HANDING_OUT or (inner.__name__, inner.__objclass__) in _GOING_IN):
        return OPAQUE
    if is_a(inner, _NATIVE) and inner.__name__ == "__call__" and inner.__objclass__ is not type:
        return OPAQUE
    if is_a(inner, _NATIVE) and owner is not object:
        if inner.__name__ in REMAKING and not state_of(owner):
            return REMADE
        if owner is struct.Struct:
            return OPAQUE  # what it packs into, or unpacks, has a state
        return FOREIGN if state_of(owner) else NONE
    return NONE


#: Functions in C that may give away the dictionary of an instance they are called with.
HANDING_OUT: Final = frozenset("__reduce_ex__ __reduce__ __getstate__ __getattribute__ __get__".split())

#: Methods in C of what never changes that go into what it holds, or that use what they are given.
_GOING_IN: Final = frozenset(
    [("count", tuple), ("index", tuple)]
    + [(name, re.Pattern) for name in "search match fullmatch split findall finditer sub subn".split()]
)

#: Methods that make an object anew, which is otherwise never changed.
REMAKING: Final = frozenset({"__init__", "__setstate__"})


def _computed(value: Any, state: int) -> int:
    """How the value of a data descriptor is found."""
    if type(value) is property:
        if value.fget is not None and type(value.fget) is not types.FunctionType:
            return GOT_IN_C
        functions = [each for each in (value.fget, value.fset, value.fdel) if type(each) is types.FunctionType]
        opaque = [each for each in functions if not is_instrumented(each)]
        modelled = all(root_of(each.__module__) in harmless.MODELLED for each in opaque)
        return COMPUTED if opaque and not modelled and state is native_objects.FOREIGN else PROPERTY
    if type(value) is types.GetSetDescriptorType:
        return STATE if state else PROPERTY
    found = find(type(value), "__get__")
    if found is not None and type(found[1]) is types.FunctionType and not is_instrumented(found[1]):
        return PROPERTY if root_of(found[1].__module__) in harmless.MODELLED else COMPUTED
    return STATE if state and not native_objects.is_in_python(type(value)) else PROPERTY  # a field of a C structure


def _getter(kind: type, name: str) -> Any:
    """The function of a property."""
    found = find(kind, name)
    return found[1].fget if found is not None and type(found[1]) is property else None


def _only_looks(kind: type, name: str) -> bool:
    """Whether a property only looks at its object."""
    getter = _getter(kind, name)
    return type(getter) is types.FunctionType and harmless.is_pure_python(getter.__module__, getter.__qualname__)


def _is_computed_elsewhere(kind: type) -> bool:
    """Whether a missing attribute is asked of a function that is not instrumented."""
    found = find(kind, "__getattr__")
    return found is not None and type(found[1]) is types.FunctionType and not is_instrumented(found[1])


#: What a class may have that gives what an instance has under its name, and how that is known.
_BINDING: Final = (
    *(types.FunctionType, staticmethod, classmethod, functools.partialmethod, types.MemberDescriptorType),
    *_NATIVE,
)


def is_computed(thing: Any, name: str) -> bool:
    """Whether only looking up a method, not looking at it, tells what it is: code of the program gives it."""
    kind = type(thing)
    if kind is super or kind is types.MemberDescriptorType or kind is str or kind is bytes:
        return False
    how = classify(kind, name)
    if how is NONE or how is FOREIGN or how is OPAQUE or how is CONTAINER:
        return False
    found = objects.peek_attribute(thing, name)
    if found is objects.MISSING:
        return True
    kind = type(found)
    if any(kind is each for each in _BINDING):
        return False
    if any(each.__name__ == "partial" and each.__module__ == "functools" for each in bases(kind)):
        return False  # called without being bound, and from 3.13 on it warns where that is
    return hasattr(kind, "__get__")


def is_instrumented(function: types.FunctionType) -> bool:
    """Whether what a function does is seen."""
    return function.__code__.co_filename in sites.instrumented


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
    elif how is OPAQUE or how is CONTAINER or how is REMADE or how is PROPERTY:
        pass  # what its call does is told when it is called
    elif how is STATE or (how is COMPUTED and _only_looks(type(thing), name)):
        native_objects.access(run, thing, _READ, site)
    elif how is COMPUTED:
        native_objects.access(run, thing, _RMW, site)
        foreign.count_if_shared(run, thing, name, site)
    elif how is GOT_IN_C:
        _get_in_c(run, thing, name, site)
    elif how is OF_BASES:
        _read_of_bases(run, thing, name, site)
    elif how is BESIDE_STATE:
        _emit(run, thing, name, site, _READ, tuple(native_objects.accesses(thing, _READ)))
    elif is_a(how, type):
        if name in objects.dictionary(thing) and not _comes_and_goes(name):
            _emit(run, thing, name, site, _READ)
        else:  # where classes change, a step reads the same whether the instance hides them or not
            _emit(run, thing, name, site, _READ, _reads_of(run, upto(type(thing), how), name))
    else:
        _emit(run, thing, name, site, _READ)


def _read_of_bases(run: Any, thing: Any, name: str, site: int) -> None:
    """``super().name`` is about to be read, or called."""
    kind = thing.__self_class__
    if kind is None:
        return
    searched: list[type] = []
    owner: type | None = None
    for each in dropwhile(lambda each: each is not thing.__thisclass__, bases(kind)):
        if each is not thing.__thisclass__ and owner is None:
            searched.append(each)
            owner = each if name in each.__dict__ else None
    if owner is None or (is_a(owner.__dict__[name], _METHODS) and not _may_be_replaced(name)):
        return
    reads = _reads_of(run, tuple([each for each in searched if each.__flags__ & 1 << 9]), name)
    if reads:
        run.visit(_READ, reads[0].target, site, None, reads[1:])


def _get_in_c(run: Any, thing: Any, name: str, site: int) -> None:
    """A property's function in C is called, or a dictionary is given away that calls go by unseen."""
    getter = _getter(type(thing), name)
    if getter is not None:
        for tell in calling:
            tell(run, getter, site, (thing,), {})
    elif has_company(run):
        count_untracked(run, f"{type(thing).__name__}.{name}, which calls go by,", site)


def _emit(run: Any, thing: Any, name: str, site: int, op: Op, more: tuple[Access, ...] = ()) -> None:
    target = ("a", number(thing), name)
    value = None
    if run.detail:
        objects.label(run, target, thing, f".{name}")
        look = objects.own_attribute if run.keyed else objects.peek_attribute
        value = objects.peek(lambda: look(thing, name), run.names[target])
    run.visit(op, target, site, value, more)


def write(run: Any, thing: Any, name: str, site: int, how: Any, op: Op = _WRITE) -> None:
    """An attribute is about to be stored that is not simply the instance's, or deleted (`op` is RMW, since an attribute
    that is not there can't be)."""
    if how is OF_MODULE:
        module_write(run, thing, name, site, op)
        return
    if how is OF_CLASS:
        changed_code(run, thing, name, site)
        if not (native_objects.is_ours(thing) or run.is_recording) and has_company(run):
            count_untracked(run, f"assignment to {thing.__name__}.{name}", site)
        space = type.__dict__["__dict__"].__get__(thing)
        if name not in space or op is _RMW or name not in sites.stored_from_outside:
            _comes_or_goes(run, name)
        if name not in space or is_a(space[name], _METHODS) or find(type(space[name]), "__get__"):
            forget_shapes()
    elif how is STATE or how is COMPUTED:
        native_objects.access(run, thing, _RMW, site)
        foreign.count_if_shared(run, thing, name, site)
        return
    elif how is BESIDE_STATE:
        _emit(run, thing, name, site, op, tuple(native_objects.accesses(thing, _RMW)))
        return
    elif _is_method(how):
        found = find(type(thing), name)
        if found is not None and is_a(found[1], _METHODS) and name not in sites.stored:
            _comes_or_goes(run, name)  # it hides the method of the class
            how = classify(type(thing), name)
        if _is_method(how):
            if found is not None and type(found[1]) in _FIELDS and shape_of(type(thing)).base is not None:
                count_untracked(run, f"assignment to {type(thing).__name__}.{name}", site)
            if found is None or type(found[1]) is not property:  # whose code would tell
                run.current.silent += 1
                changed_code(run, thing, name, site)
            return
    elif how is DICTIONARY:
        _replace_all(run, thing, site)
        return
    if how is LISTED or (is_a(how, type) and objects.is_listed(type(thing))):
        n = number(thing)
        there = name in objects.dictionary(thing)
        changed = () if there and op is _WRITE else (Access(_RMW, ("s", -n)),)
        _emit(run, thing, name, site, _RMW, changed)
        return
    _emit(run, thing, name, site, op)


#: What classes in C have for parts of their objects.
_FIELDS: Final = frozenset((types.MemberDescriptorType, types.GetSetDescriptorType))


def _is_method(how: Any) -> bool:
    return how is NONE or how is FOREIGN or how is OPAQUE or how is CONTAINER or how is REMADE or how is PROPERTY


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
    if (name.startswith("__") and name.endswith("__")) or _is_member(kind, name):
        return ()
    found = find(kind, name)
    above = find(type(kind), name) if found is None else None
    known = found or above
    if known and (is_a(known[1], CONSTANT) or find(type(known[1]), "__get__")) and not _may_be_replaced(name):
        return ()
    if found is not None:
        return upto(kind, found[0])
    return (*upto(kind, None), *upto(type(kind), above[0] if above else None))


def _is_member(kind: type, name: str) -> bool:
    """Whether it is a member of an enumeration, which nobody replaces."""
    return issubclass(type(kind), EnumType) and name in kind.__dict__.get("_member_map_", ())


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
    if name not in space and not is_a(space.get("__getattr__"), (types.FunctionType, type(None))) and has_company(run):
        count_untracked(run, f"{space.get('__name__', '?')}.__getattr__()", site)
    if name not in space or not is_a(space[name], CONSTANT) or name in sites.stored:
        global_access(run, space.get("__name__", "?"), name, site, _READ, space)


#: Globals of modules that are not instrumented, of which those who use them tell.
_STREAMS: Final = frozenset("stdin stdout stderr".split())


def module_write(run: Any, module: Any, name: str, site: int, op: Op = _WRITE) -> None:
    """A global is about to be stored, or deleted, by way of its module."""
    space = objects.dictionary(module)
    file = space.get("__file__")
    if space is vars(builtins) and not run.is_recording:
        count_untracked(run, f"assignment to the builtin {name}", site)
    elif file not in sites.instrumented and space.get("__spec__") is not None and name not in _STREAMS:
        if has_company(run) and not run.is_recording:  # its own code, and others', look there unseen
            count_untracked(run, f"assignment to {space.get('__name__', '?')}.{name}", site)
    if file in sites.instrumented and name not in sites.variables(file):
        count_untracked(
            run, f"assignment to {space.get('__name__', '?')}.{name}, which its module takes for a constant", site
        )
    global_access(run, space.get("__name__", "?"), name, site, op, space)


def global_access(run: Any, module: str, name: str, site: int, op: Op, space: dict[str, Any]) -> None:
    """A module's global is about to be read or stored."""
    target = ("g", module, name)
    value = None
    more: tuple[Access, ...] = ()
    if _is_foreign(module, space) and not is_a(space.get(name), type):
        more = (Access(op if op is _READ else Op.RMW, ("o", root_of(module))),)  # its functions change it unseen
    if run.detail:
        run.names[target] = name
        value = objects.peek(lambda: space.get(name, objects.MISSING), name)
        for access in more:
            run.names.setdefault(access.target, f"the state of {root_of(module)}")
    run.visit(op, target, site, value, more)


def _is_foreign(module: str, space: dict[str, Any]) -> bool:
    """Whether a module has code in Python that is not instrumented, nor modelled."""
    file = space.get("__file__")
    return is_a(file, str) and file not in sites.instrumented and root_of(module) not in harmless.MODELLED


def count_untracked(run: Any, what: str, site: int) -> None:
    """Something shared was used in a way that is not tracked."""
    text = f"{what} at {sites.location(site)}"
    run.untracked[text] = run.untracked.get(text, 0) + 1


#: Attributes of functions, cells, classes and instances that say what calls do.
_OF_CODE: Final = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__bases__", "cell_contents", "__class__"})


def changed_code(run: Any, thing: Any, name: str, site: int) -> None:
    """What code is may be about to change: calls of it do not look again, and tell of no read."""
    special = is_a(thing, type) and name.startswith("__") and name.endswith("__")
    if (special or name in _OF_CODE) and has_company(run) and not run.is_recording:
        count_untracked(run, f"assignment to {name} of {type(thing).__name__}", site)
