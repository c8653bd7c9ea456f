"""Objects without a model of their own: each has one location, *its state*.

An object implemented in C (a file, an iterator, a hash, a NumPy array), and one of a class written in Python that is
not instrumented, is a location ``("o", number)``. Calling a method of it, applying an operator to it, passing it to
native code reads its state, or reads and writes it: according to the table of functions that only look; in doubt it
writes. For an object in C this is one step, as in CPython. An object that shows another object's bytes (a view, a slice
of an array) has the state of that object. Objects that it holds, like the container of an iterator, are read with it.

Types without a state are in :mod:`harmless`.

Cost: a look-up by class; two microseconds for an operation on an object that has a state.
"""

from __future__ import annotations

import _io
import enum
import gc
import io
import posix
import stat
import sys
import types
import weakref
from collections.abc import Callable
from contextvars import Context, Token
from enum import EnumType
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import entered_contexts, harmless, objects, untracked
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import BASES, MANY, bases, beside_state, contents, length, perform
from mazurka.program.python.semantics.objects import dictionary, is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.shapes import shapes
from mazurka.program.python.semantics.views import LAZY, sources
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.sharing import SHARED
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, OBJECT, STRUCTURE

_READ, _RMW = Op.READ, Op.RMW

#: The kinds of state that objects of a class have, beside attributes and items that are locations of their own.
NOTHING: Final = 0  # none
NATIVE: Final = 1  # of a class in C
FOREIGN: Final = 2  # of a class in Python that is not instrumented

#: Methods that only look at the object, by name: of any class, unless it is listed below.
_LOOKING: Final = frozenset(
    """__repr__ __str__ __format__ __len__ __bool__ __hash__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__
    __getitem__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __mod__
    __pow__ __and__ __or__ __xor__ __neg__ __pos__ __abs__ __invert__ __int__ __float__ __index__ __matmul__ __sizeof__
    __reduce__ __reduce_ex__ __getstate__ __copy__ __deepcopy__ __dir__ __class__ __array__ __length_hint__ __divmod__
    __iter__ digest hexdigest copy getvalue fileno isatty readable writable seekable getstate keys values items get
    all any sum mean min max std var argmin argmax astype tolist item dot ravel reshape flatten transpose nonzero round
    cumsum cumprod prod clip tobytes view squeeze diagonal trace searchsorted take repeat argsort conj total_changes
    cache_info cache_parameters find findall findtext iter itertext iterfind text tag tail attrib""".split()
)

#: ... and modules of classes for which these names mean another operation: to iterate over their objects uses them up,
#: or moves them.
_MOVED_BY_LOOKING: Final = frozenset({"_io", "_csv", "_sqlite3"})

_HEAP_TYPE: Final = 1 << 9
_basic_size: Final[Any] = type.__dict__["__basicsize__"].__get__
_dictionary_offset: Final[Any] = type.__dict__["__dictoffset__"].__get__
_weak_offset: Final[Any] = type.__dict__["__weakrefoffset__"].__get__
_space_of: Final[Any] = type.__dict__["__dict__"].__get__
_WORD: Final = 8
_MANAGES: Final[bool] = sys.version_info >= (3, 12)  # whether classes may keep these two outside of their objects


def state_of(kind: type) -> int:
    """The kind of state that objects of a class have: NOTHING, NATIVE or FOREIGN. Remembered with the class's shape."""
    shape = shapes.get(id(kind)) or shape_of(kind)
    found: int | None = shape.state
    if found is None:
        found = shape.state = _state_of(kind)
    return found


def _state_of(kind: type) -> int:
    found = NOTHING
    for each in bases(kind):
        if each is object or harmless.is_harmless_type(each) or shape_of(each).base is each or id(each) in _LAZY_VIEWS:
            continue
        if _is_of_numbers(each):
            continue
        if type(each) is enum.EnumType and _has_constants_only(each):
            continue
        if is_in_python(each):
            if not is_ours(each) and not is_stateless(each):
                found = max(found, FOREIGN)
        elif not _comes_from(each, harmless.MODELLED):
            found = max(found, NATIVE)
    return found


def _is_of_numbers(kind: type) -> bool:
    """Whether a class is one of NumPy's scalars, other than elements of structured arrays: those show its bytes."""
    return (
        root_of_class(kind) == "numpy"
        and any(each.__name__ == "generic" for each in bases(kind))
        and kind.__name__ != "void"
    )


def is_stream(kind: type) -> bool:
    """Whether a class is one of `io` in C: its methods store no attributes of an object, except where they initialise
    it again (:data:`.classification.REMAKING`)."""
    return id(kind) in _STREAMS


_STREAMS: Final = frozenset(
    map(id, (io.StringIO, io.BytesIO, io.FileIO, io.TextIOWrapper, io.BufferedReader, io.BufferedWriter))
)


def _has_constants_only(kind: enum.EnumType) -> bool:
    """Whether an enumeration is of the standard library, or has no functions of its own: its members never change."""
    if root_of_class(kind) in sys.stdlib_module_names:
        return True
    functions = [
        each
        for each in _space_of(kind).values()
        if (type(each) is types.FunctionType or type(each) is property or type(each) is classmethod)
    ]
    return all(each.__module__ == "enum" if type(each) is types.FunctionType else False for each in functions)


def root_of_class(kind: type) -> str:
    """The package a class comes from."""
    return harmless.root_of(_space_of(kind).get("__module__") or type.__dict__["__module__"].__get__(kind))


def is_in_python(kind: type) -> bool:
    """Whether a class was made by a ``class`` statement or a call of `type`: its instances have nothing but attributes
    beyond the state of its bases. A class in C needs more room than these take."""
    if not kind.__flags__ & _HEAP_TYPE:
        return False
    base = kind.__base__
    if base is None:
        return False
    extra = _basic_size(kind) - _basic_size(base)
    if extra > 0:
        space = _space_of(kind)
        extra -= _WORD * sum(1 for value in space.values() if type(value) is types.MemberDescriptorType)
    managed = kind.__flags__ & ~base.__flags__ if _MANAGES else 0
    extra -= _WORD * (bool(_dictionary_offset(kind)) and not _dictionary_offset(base) and not managed & 1 << 4)
    extra -= _WORD * (bool(_weak_offset(kind)) and not _weak_offset(base) and not managed & 1 << 3)
    return bool(extra <= 0 and not (kind.__flags__ & 1 << 8))  # immutable types are made in C


def is_ours(kind: type) -> bool:
    """Whether a class comes from a module that is instrumented."""
    space = _space_of(kind)
    for value in space.values():
        inner = value.__func__ if (type(value) is staticmethod or type(value) is classmethod) else value
        inner = inner.fget if type(inner) is property else inner
        if type(inner) is types.FunctionType and inner.__code__.co_filename in sites.instrumented:
            return True
    return is_module_ours(space.get("__module__"))


def is_module_ours(name: object) -> bool:
    """Whether a module is instrumented; a class or function without a module name was made by hand, in one that is."""
    if not isinstance(name, str):
        return True
    module = sys.modules.get(name)
    if module is None:
        return name.partition(".")[0] not in sys.stdlib_module_names
    return dictionary(module).get("__file__") in sites.instrumented


def is_stateless(kind: type) -> bool:
    """Whether a class in Python that is not instrumented adds no state: it runs the checks, or reports its own steps,
    or is an enumeration of the standard library, whose members no code changes."""
    if type(kind) is EnumType and _comes_from(kind, sys.stdlib_module_names):
        return True
    return _comes_from(kind, harmless.MODELLED) or _comes_from(kind, _INTERFACES)


def _comes_from(kind: type, roots: frozenset[str]) -> bool:
    """Whether a class is of one of these packages or modules. A class may claim to be without being: then it isn't
    found there, and its functions are those of another module."""
    space = _space_of(kind)
    module = space.get("__module__") or type.__dict__["__module__"].__get__(kind)
    if module not in roots and harmless.root_of(module) not in roots:
        return False
    found: Any = sys.modules.get(module)
    for part in type.__dict__["__qualname__"].__get__(kind).split("."):
        found = vars(found).get(part) if isinstance(found, (types.ModuleType, type)) else None
    if found is kind:
        return True
    spaces = [value.__globals__ for value in space.values() if type(value) is types.FunctionType]
    modules = [sys.modules.get(str(each.get("__name__"))) for each in spaces]
    return any(
        module is not None and vars(module) is each and harmless.root_of(module.__name__) in harmless.MODELLED
        for module, each in zip(modules, spaces, strict=True)
    )


#: Modules of classes that other classes derive from for their methods only.
_INTERFACES: Final = frozenset({"_collections_abc", "collections.abc", "typing", "abc"})


#: Views that :mod:`views` looks behind, by identity.
_LAZY_VIEWS: Final = frozenset(id(kind) for kind in LAZY if not hasattr(kind, "__next__"))


def is_read_by(thing: Any, name: str) -> bool:
    """Whether a method of an object in C only looks at it."""
    if name == "tell" and type(thing) in _POSITIONS:
        return True
    if harmless.looks_only_at_keys(type(thing), name) and _has_plain_keys(thing):
        return True
    if name not in _LOOKING or not _is_known(type(thing), name):
        return False
    return not (root_of_class(type(thing)) in _MOVED_BY_LOOKING and name in ("__iter__", "__copy__")) and not hasattr(
        type(thing), "__next__" if name == "__iter__" else "__mz_none__"
    )


#: Number of a persistent collection -> whether its keys are plain: it is never changed.
_plain: Final[dict[int, bool]] = per_run({})


def _has_plain_keys(thing: Any) -> bool:
    n = number(thing)
    found = _plain.get(n)
    if found is None:
        found = _plain[n] = harmless.has_plain_keys(thing)
    return found


def _is_known(kind: type, name: str) -> bool:
    """Whether the effects of methods with such names are known: in classes of the standard library, and of NumPy."""
    owner = next((each for each in bases(kind) if name in _space_of(each)), kind)
    root = root_of_class(owner)
    return root in sys.stdlib_module_names or root == "numpy"


def access(run: Any, thing: Any, op: Op, site: int) -> None:
    """The state of ``thing`` is about to be read, or read and written; and the objects that it refers to."""
    if run.is_recording or is_output(thing):
        return
    run.current.silent += op is not _READ
    perform(run, site, _access, thing, op, site)


def visit(run: Any, thing: Any, known: list[Access], find: Callable[[], list[Access]], site: int) -> None:
    """Pass one step of the ``known`` accesses, which ``find`` finds anew if other threads move before it: they may
    change the content of the containers that it goes through."""
    perform(run, site, _visit, thing, [known], find, site)


def _visit(run: Any, thing: Any, known: list[list[Access]], find: Callable[[], list[Access]], site: int) -> None:
    found = known.pop() if known else find()
    label(run, thing, found)
    run.visit(found[0].op, found[0].target, site, _value(run, thing, found[0]), tuple(found[1:]))


def _access(run: Any, thing: Any, op: Op, site: int) -> None:
    found = accesses(thing, op)
    if len(found) == 1 and is_own(run, found[0].target, site):
        return
    label(run, thing, found)
    run.visit(found[0].op, found[0].target, site, _value(run, thing, found[0]), tuple(found[1:]))


def accesses(thing: Any, op: Op) -> list[Access]:
    """The accesses of an operation on the state of an object, and on the objects that it refers to, in one step."""
    root = owner_of_bytes(thing)
    if type(root) is Context:  # its values are read where code gets them
        entered_contexts.used(root)
        return [Access(op, (OBJECT, number(root)))]
    if type(root) is Token:  # it holds the value before, and its context, but does not look into them
        return [Access(op, (OBJECT, number(root)))]
    if is_proxy(type(root)) or _shows_raw_memory(root) or _is_mapped_twice(root):
        count_cut(root)
    if type(thing).__module__ == "_io":
        _count_channel(thing)
        if type(root) is _PAIR and (run := activation.active) is not None and has_concurrent_threads(run):
            count_cut(root)  # its streams can't be found
    if root_of_class(type(root)) == "decimal" or type(root).__name__ == _FLAGS:
        entered_contexts.used_for_calculations(root)
        if op is not _READ and "decimal" in sys.modules and _is_template(root):
            count_change_of_template()
    found: list[Access] = []
    if type(thing) is memoryview:
        found.append(Access(_READ, (OBJECT, number(thing))))  # it may be released
    base = shape_of(type(root)).base
    if base is None:
        found.append(Access(op, (OBJECT, number(root))))
    elif base not in BASES:  # the object stands for containers, or has a single location
        found.append(Access(op, (STRUCTURE, number(root))))
        found += _attributes_of_adapters(root)
        for each in _stands_for(root):
            inner = contents(each)
            found += [Access(_RMW, inner[0].target), *inner[1:]] if op is not _READ else inner
    else:  # the bytes are a container's
        found += _of_container(root, op, is_view=thing is not root)
    for each in held_by(root):
        found += contents(each)
    if type(root).__module__ == "multiprocessing.sharedctypes" and "_obj" in dictionary(root):
        found += accesses(dictionary(root)["_obj"], op)  # a value with a lock, which other threads may use without it
    if state_of(type(root)) == NATIVE:
        inside = _READ if type(root).__name__ == "_element_iterator" else op  # it goes through a tree
        natives = _natives_held_by(root)
        found += [Access(inside, (OBJECT, number(each))) for each in natives]
        found += [access for each in (root, *natives) for access in _called_by(each)]
    return found


def _of_container(root: Any, op: Op, is_view: bool) -> list[Access]:
    """The accesses of an operation on the bytes of a container: by way of a view their number stays."""
    structure, *elements = contents(root)
    if op is _READ:
        return [structure, *elements]
    if is_view and length(root) * 2 <= MANY:
        return [structure, *[Access(_RMW, each.target) for each in elements]]
    return [Access(_RMW, structure.target)]


#: The class of flags and traps of a decimal context, which has the module of its base.
_FLAGS: Final = "SignalDict"

#: A stream over two others, which it does not let find.
_PAIR: Final = io.BufferedRWPair


def _is_template(thing: Any) -> bool:
    """Whether an object is the decimal context that new threads begin with, or its flags or traps."""
    template = sys.modules["decimal"].DefaultContext
    return thing is template or thing is template.flags or thing is template.traps


def count_change_of_template() -> None:
    """The context is about to change that each thread copies, without a step, at its first calculation."""
    run = activation.active
    if run is not None and not run.is_recording and has_concurrent_threads(run):
        text = "a change of decimal.DefaultContext"
        run.untracked[text] = run.untracked.get(text, 0) + 1


def _called_by(thing: Any) -> list[Access]:
    """The accesses of a container's method that an object calls: of ``iter(items.pop, None)``."""
    found: list[Access] = []
    for each in gc.get_referents(thing):
        if type(each) in BUILTIN_METHODS and is_a(each.__self__, BASES):
            inner = contents(each.__self__)
            found += [Access(_RMW, inner[0].target), *inner[1:]]
    return found


def _natives_held_by(thing: Any) -> list[Any]:
    """The objects in C with a state of their own that one in C works on: the bytes of a text stream, the stream whose
    method a writer was given."""
    found: list[Any] = []
    waiting = [thing] if type(thing) is not types.GeneratorType else []
    if root_of_class(type(thing)) == "decimal" and type(thing).__name__ == "Context":
        found += [thing.flags, thing.traps]  # they show its state, and calculations change them without a step
    while waiting and len(found) < _MOST_HELD:
        for each in gc.get_referents(waiting.pop()):
            if type(each) in BUILTIN_METHODS:
                each = each.__self__
            kind = type(each)
            if kind in PLAIN_STATE or kind is types.GeneratorType or kind in LAZY or state_of(kind) != NATIVE:
                continue
            if shape_of(kind).base is None and all(each is not other for other in (thing, *found)):
                found.append(each)
                waiting.append(each)
    if waiting:
        count_cut(thing)
    return found


def is_proxy(kind: type) -> bool:
    """Whether objects of a class stand in for others of any class: weak proxies, and objects with a `__getattr__` in C,
    as the proxies of wrapt and lazy-object-proxy have one."""
    own = shape_of(kind).own
    found = own.get(_IS_PROXY)
    if found is None:
        way = next((each.__dict__["__getattr__"] for each in bases(kind) if "__getattr__" in each.__dict__), None)
        in_c = type(way) is types.MethodDescriptorType or type(way) is types.WrapperDescriptorType
        found = own[_IS_PROXY] = in_c or kind is weakref.ProxyType or kind is weakref.CallableProxyType
    return bool(found)


#: In `Shape.own`, beside names of attributes.
_IS_PROXY: Final = " proxy"


#: The classes of most objects' attributes, none of which has a state.
PLAIN_STATE: Final = frozenset({type, types.ModuleType, types.FunctionType, dict, list, tuple, str, int, type(None)})


def _stands_for(thing: Any) -> list[Any]:
    """The containers behind a container of the library (:mod:`container_adapters`), two objects deep, and behind those
    of the library that it stands for."""
    found: list[Any] = []
    for owner in _adapters(thing):
        held = [each for each in (*dictionary(owner).values(), *gc.get_referents(owner)) if is_a(each, BASES)]
        held += [inner for each in held for inner in gc.get_referents(each) if is_a(inner, BASES)]
        found += [each for each in held if not is_namespace_of(each, owner)]
    return list({id(each): each for each in found}.values())


def _adapters(thing: Any) -> list[Any]:
    """A container of the library, and those of the library behind it, as behind a view of one."""
    found = [thing]
    for owner in found:
        for each in (*dictionary(owner).values(), *gc.get_referents(owner)):
            base = shape_of(type(each)).base
            if base is not None and base not in BASES and all(each is not other for other in found):
                found.append(each)
    return found


def _attributes_of_adapters(thing: Any) -> list[Access]:
    """Reads of the attributes that hold the containers for which containers of the library stand."""
    owners = [(each, dictionary(each)) for each in _adapters(thing)]
    return [
        Access(_READ, (ATTRIBUTE, number(each), name)) for each, space in owners for name in KEPT_IN if name in space
    ]


#: The attributes of `UserDict`, `UserList` and `ChainMap` with the containers that they stand for.
KEPT_IN: Final = ("data", "maps")


def attributes_of(thing: Any) -> list[Any]:
    """The values of an object's attributes, those in slots included, without what models keep there."""
    space = dictionary(thing)
    inside = [*space.values()] if type(space) is dict else []
    inside += [each for each in gc.get_referents(thing) if each is not space and each is not type(thing)]
    ours = {id(space[name]) for name in _OF_MODELS if name in space} if type(space) is dict else ()
    return [each for each in inside if id(each) not in ours] if ours else inside


#: Attributes that models add to objects of the library.
_OF_MODELS: Final = ("_mz", "_mz_models", "_mz_pool", "_mz_job")


def held_by(thing: Any) -> list[Any]:
    """The containers that an object in C iterates over, or holds: looked for two objects deep."""
    if state_of(type(thing)) != NATIVE or type(thing) is types.GeneratorType:
        return []
    found: list[Any] = []
    for each in gc.get_referents(thing):
        kind = type(each)
        if shape_of(kind).base is not None:
            if not is_namespace_of(each, thing):
                found += sources(each)
        elif kind in LAZY or (kind is not types.GeneratorType and state_of(kind) == NATIVE):
            found += sources(each) or [
                inner for inner in gc.get_referents(each) if shape_of(type(inner)).base is not None
            ]
        elif kind is tuple:
            found += [source for part in gc.get_referents(each) for source in sources(part)]
    if len(found) > _MOST_HELD:
        count_cut(thing)
    return found[:_MOST_HELD]


def count_cut(thing: Any) -> None:
    """An object leads to more objects than are looked at: the others are untracked."""
    run = activation.active
    if run is not None and not run.is_recording:
        text = f"the objects that a {type(thing).__name__} leads to"
        run.untracked[text] = run.untracked.get(text, 0) + 1


_MOST_HELD: Final = 64


def is_namespace_of(space: Any, thing: Any) -> bool:
    """Whether a dictionary holds an object's attributes, which are locations of their own."""
    return dictionary(thing) is space


def owner_of_bytes(thing: Any) -> Any:
    """The object whose bytes another one shows: the base of an array or of a view."""
    for _ in range(_DEEPEST):
        kind = type(thing)
        behind: Any = None
        if kind is memoryview:
            try:
                behind = thing.obj
            except ValueError:  # released
                return thing
        elif root_of_class(kind) == "numpy":
            behind = getattr(thing, "base", None) if kind.__name__ != _OVER_ARRAYS else _array_of(thing)
        elif hasattr(kind, "_b_base_"):  # of ctypes
            behind = getattr(thing, "_b_base_", None) or _object_behind(thing)
        if behind is None:
            return thing
        thing = behind
    return thing


#: The iterator of NumPy whose elements show the bytes of its arrays.
_OVER_ARRAYS: Final = "nditer"


def _array_of(iterator: Any) -> Any:
    """The array that such an iterator goes through; None if there are several, or if it is closed."""
    try:
        arrays: tuple[Any, ...] = iterator.operands
    except ValueError:
        return None
    return arrays[0] if len(arrays) == 1 else None


def _object_behind(thing: Any) -> Any:
    """The buffer of a ctypes object made by ``from_buffer``."""
    kept = getattr(thing, "_objects", None)
    if type(kept) is memoryview:  # of a simple type
        return kept
    if is_a(kept, dict):
        values: list[Any] = [*dict.values(kept or {})]
        return next((each for each in values if (type(each) is memoryview or type(each) is bytearray)), None)
    return None


_DEEPEST: Final = 8


def _shows_raw_memory(thing: Any) -> bool:
    """Whether an object is a ctypes object, or a pointer, whose memory other objects may show, too, or an iterator over
    several arrays."""
    if type(thing).__name__ == _OVER_ARRAYS and root_of_class(type(thing)) == "numpy":
        return True
    if not hasattr(type(thing), "_b_base_"):
        return False
    return hasattr(type(thing), "contents") or (
        not getattr(thing, "_b_needsfree_", 1) and getattr(thing, "_objects", None) is None
    )


def _is_mapped_twice(thing: Any) -> bool:
    """Whether an object is a mapped file, and some file is mapped twice, or may be."""
    if root_of_class(type(thing)) != "mmap":
        return False
    try:
        with _io.open("/proc/self/maps") as maps:  # the real one
            shared = [line.split()[3:5] for line in maps if line.split()[1].endswith("s")]
    except OSError:
        return True  # unknown on this platform
    return any(shared.count(each) > 1 for each in shared)


#: Descriptors of pipes through which children of the run answer: reads to the end, or line by line, have the same
#: result each time.
outputs_of_children: Final[set[int]] = set()


def _count_channel(stream: Any) -> None:
    """A stream that was open before the run is no plain file, nor one of the three that each process has: another
    process may be at its other end."""
    run = activation.active
    raw = _raw_of(stream)
    if run is None or run.is_recording or type(raw) is not _io.FileIO or raw.closed:
        return
    descriptor = raw.fileno()
    status = posix.fstat(descriptor)
    if descriptor in outputs_of_children and type(stream) is not _io.FileIO and stream.readable():
        return
    if descriptor > 2 and not (stat.S_ISREG(status.st_mode) or harmless.is_stateless_device(status)):
        run.count_uncontrolled(f"a {type(stream).__name__} that was open before the run")


def _raw_of(stream: Any) -> Any:
    """The raw file below the layers of a stream; another object if they are gone."""
    try:
        if type(stream) is _io.TextIOWrapper:
            stream = stream.buffer
        return stream if type(stream) is _io.FileIO else getattr(stream, "raw", None)
    except ValueError:
        return None


# -- generators -------------------------------------------------------------------------------------------------------

#: id of a generator's frame -> the location of its state, for those with a known caller.
_driven: dict[int, tuple[Any, ...]] = per_run({})
_watched: dict[int, Any] = per_run({})
_outer: dict[int, int] = per_run({})  # id of a generator's frame -> that of the one that delegates to it


def follow(generator: Any) -> None:
    """A generator of the program is about to run: from now on its code reports when it stops running
    (:func:`leaves`)."""
    frame = generator.gi_frame
    if frame is None or id(frame) in _driven or frame.f_code.co_filename not in sites.instrumented:
        return
    key = id(frame)
    _driven[key] = (OBJECT, number(generator))
    _watched[key] = weakref.ref(generator, lambda _dead: (_driven.pop(key, None), _watched.pop(key, None)))


def moved(run: Any, iterators: list[Any], site: int) -> list[Access]:
    """The accesses of iterators that are about to advance, as far as several threads have them."""
    found: list[Access] = []
    for each in iterators:
        if type(each) is types.GeneratorType:
            follow(each)
        elif type(each) in DRIVEN:
            drive(run, each, site)
        target = (OBJECT, number(each))
        if not is_own(run, target, site):
            found.append(Access(_RMW, target))
    return found


def is_own(run: Any, target: Any, site: int) -> bool:
    """Whether only the running thread accesses a location, as far as is known: then no step is needed.

    If another thread accesses it later, the sites noted here get points, and later runs report the accesses. Runs with
    detail report them in any case, so that their schedules can be rewritten for these points.
    """
    running = activation.active or run  # `run` may gather the accesses of a step, and then has no points of its own
    if site in running.points or running.detail:
        return False
    record = run.touched.get(target)
    if record is SHARED or (record is not None and record[0] != run.current.index):
        return False
    run.sharing.note(target, run.current.index, True, site)
    return True


def delegate(frame: types.FrameType, generator: Any) -> None:
    """``yield from``: the thread that runs the generator of a frame runs the inner one."""
    inner = generator.gi_frame
    if inner is not None and id(inner) not in _watched:
        key = id(inner)
        _outer[key] = id(frame)
        _watched[key] = weakref.ref(
            generator, lambda _dead: (_outer.pop(key, None), _driven.pop(key, None), _watched.pop(key, None))
        )


def drive(run: Any, thing: Any, site: int) -> None:
    """A generator or coroutine is driven by another one, or a coroutine by a call: no step shows how long that lasts,
    so a second thread that drives it is counted."""
    me = run.current.index
    known = _drivers.get(id(thing))
    if known is None or known[0]() is not thing:  # referred to weakly, or its frame would outlive it
        in_c = type(thing) is _WRAPPER  # no weak reference to it is possible
        _drivers[id(thing)] = ((lambda: thing) if in_c else weakref.ref(thing), me)
    elif known[1] != me:
        untracked.count_untracked(run, "a generator or coroutine that generators of several threads drive", site)


#: id of a generator or coroutine -> a reference to it, and the thread that drove it first.
_drivers: dict[int, tuple[Any, int]] = per_run({})


async def _coroutine() -> None:
    """Makes an object whose types `types` does not name."""


def _type_of_wrapper() -> type:
    made = _coroutine()
    made.close()
    return type(made.__await__())


#: Types whose code is driven by their methods, step by step.
_WRAPPER: Final = _type_of_wrapper()
DRIVEN: Final = frozenset({types.CoroutineType, types.AsyncGeneratorType, _WRAPPER})


def leaves(run: Any, frame: types.FrameType, site: int) -> None:
    """The code of a generator is about to yield a value, or to end: until then other threads can't run it."""
    key = id(frame)
    while key not in _driven and key in _outer:
        key = _outer[key]
    target = _driven.get(key)
    if target is not None:
        if run.detail:
            run.names.setdefault(target, "the generator")
        run.visit(_RMW, target, site)


def _note_namespace(owner: Any, space: dict[str, Any]) -> None:
    """Have accesses to a dictionary conflict with accesses to the state of the object that it belongs to."""
    if state_of(type(owner)) is not NOTHING and not is_stream(type(owner)):
        beside_state[id(space)] = tuple([each.target for each in accesses(owner, _RMW)])
    else:
        beside_state.pop(id(space), None)  # the entry of an earlier dictionary at the same address


objects.adopting.append(_note_namespace)


# -- in words ---------------------------------------------------------------------------------------------------------


def label(run: Any, thing: Any, found: list[Access]) -> None:
    """Detail: put the target of a step in words."""
    if not run.detail:
        return
    for each in found:
        if each.target not in run.names:
            mine = thing is not None and each.target[:2] == (OBJECT, objects.numbers.get(id(thing)))
            if mine:
                objects.label(run, each.target, thing, " (its state)")
            else:
                run.names[each.target] = ""


def _value(run: Any, thing: Any, access: Access) -> Callable[[], str] | None:
    """Detail: the value of a step on the state of an object, where a part of that says more than its name."""
    if not run.detail or run.keyed or access.target != (OBJECT, objects.numbers.get(id(thing))):
        return None
    tell = _POSITIONS.get(type(thing))
    return (lambda: "closed" if thing.closed else f"position {tell(thing)}") if tell is not None else None


#: The positions of files in memory.
_POSITIONS: Final[dict[type, Callable[[Any], int]]] = {io.BytesIO: io.BytesIO.tell, io.StringIO: io.StringIO.tell}


def is_output(thing: Any) -> bool:
    """Whether an object is the stream that keeps the program's output: no code reads it back."""
    if type(thing) is not io.TextIOWrapper:
        return False
    try:
        return type(thing.buffer).__name__ == "_Bounded"
    except ValueError:  # it has been detached
        return False
