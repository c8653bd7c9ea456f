"""The reads of an operation on the whole content of its operands: comparing, describing, copying, matching.

Such an operation goes through containers in containers, and through instances, unless an instrumented method of the
program reports its own reads (``__eq__``, ``__repr__``). Of an object that has a state instead (:mod:`native_objects`)
it reads the state.

Cost: some microseconds for each container; a twentieth of a microsecond for each number in a list.
"""

from __future__ import annotations

import functools
import gc
import itertools
import types
import weakref
from collections import ChainMap, UserDict, UserList, deque
from collections.abc import Callable, ItemsView, Iterable, KeysView, MappingView, Sequence, ValuesView
from typing import Any, Final, NamedTuple

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import harmless, native_objects, objects, reads_in_parts
from mazurka.program.python.semantics.class_shapes import OPERATIONS, shape_of
from mazurka.program.python.semantics.gathering import AccessCollector
from mazurka.program.python.semantics.locations import BASES, base_of, bases, contents, emit_reads, perform, reads_of
from mazurka.program.python.semantics.native_objects import FOREIGN, state_of
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.shapes import ClassShape, shapes
from mazurka.program.python.semantics.views import LAZY, is_native_iterator, moved, others, reached, sources
from mazurka.program.runtime.sharing import SHARED
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, STRUCTURE

#: Values that hold nothing.
PLAIN: Final = frozenset(
    {int, str, float, bool, type(None), bytes, complex, range, type, types.FunctionType, types.ModuleType}
)
_COMPARING: Final = tuple("__eq__ __ne__ __lt__ __le__ __gt__ __ge__".split())
DESCRIBING: Final = ("__format__", "__str__", "__repr__")

#: Kind of site -> the methods that it calls on an instance; a site of any other kind looks at attributes past all
#: methods.
_ASKS: Final = {"compare": _COMPARING, "format": DESCRIBING, "call": DESCRIBING}

#: Methods called on an object that is copied, but not on its content.
_COPY: Final = "copy"

#: Containers that have no other attributes, and no methods in Python.
_EXACT: Final = frozenset({dict, list, set})

#: Kinds of sites that look only at the container itself, and operations that do so, too.
_SHALLOW: Final = frozenset({"combine", "matmul", "change", "unpack", "search", _COPY})

#: Methods by which a class defines how its objects are copied.
_COPIED_BY: Final = frozenset("__copy__ __reduce_ex__ __reduce__ __getstate__ __getattribute__ __getattr__".split())


def read(
    run: Any,
    things: Iterable[Any],
    site: int,
    copying: bool = False,
    comparing: bool = False,
    shallow: bool = False,
    describing: bool = False,
    times: int = 1,
) -> None:
    """Read the whole content of ``things`` in one step; ``copying`` looks at instances past their methods,
    ``comparing`` past all but those that compare, ``describing`` past all but those that describe, ``shallow`` does not
    look into their elements. In recordings, so many ``times``."""
    waiting = [each for each in things if type(each) not in PLAIN]
    if waiting:
        if copying and not shallow:
            asked = ""
        else:
            asked = _COPY if shallow else "compare" if comparing else "format" if describing else sites.kind_of(site)
        if run.is_recording:
            _read(run, waiting, site, asked, times)
        else:
            perform(run, site, _read, waiting, site, asked)


def reads_shared(run: Any, things: Iterable[Any], site: int, shallow: bool = False) -> bool:
    """Read the whole content of ``things`` in one step; returns whether threads change any of it. ``shallow``: without
    a look into the elements."""
    waiting = [each for each in things if type(each) not in PLAIN]
    if not waiting:
        return False
    perform(run, site, _read, waiting, site, _COPY if shallow else "")
    last = run.log[-1] if run.log else None
    if last is None or last[3] != site or last[0] != run.current.index:
        return False
    return any(run.touched.get(target) is SHARED for target in (last[2], *[access.target for access in last[6]]))


def is_copied_shallowly(thing: Any) -> bool:
    """Whether `copy.copy` copies the references in an object: in containers, and in instances that define nothing
    else."""
    kind = type(thing)
    if kind in (*BASES, tuple, frozenset):
        return True
    own = [each for each in bases(kind) if each is not object]
    return not sources(thing) and not any(_COPIED_BY & each.__dict__.keys() for each in own)


def _read(run: Any, things: Sequence[Any], site: int, asked: str, times: int = 1) -> None:
    found, reads, in_parts, repeats = _within(run, things, site, asked)
    if reads and not found and run.detail:
        for access in reads:
            run.names.setdefault(access.target, "")
    for _ in range(times):
        if found:
            emit_reads(run, found, reads, site)
        elif reads:
            run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))
    if in_parts:
        reads_in_parts.note(run, reads, repeats, site)


def _iterates_by_code_of_program(kind: type) -> bool:
    """Whether the `__iter__` of a class may be code of the program, past which code in C goes: it is in no library."""
    found: Any = next((each.__dict__["__iter__"] for each in bases(kind) if "__iter__" in each.__dict__), None)
    return not is_a(found, types.FunctionType) or found.__code__.co_filename in sites.instrumented


def contents_of(thing: Any) -> list[Access]:
    """Reads of a container, or of the container behind a view or an iterator."""
    return [access for container in reached(thing) for access in contents(container)]


class _Looked(NamedTuple):
    """The containers that are looked at, and all reads; whether code in Python reads at different times, and reads some
    locations repeatedly."""

    containers: list[Any]
    reads: list[Access]
    in_parts: bool
    repeats: bool


def _within(run: Any, things: Sequence[Any], site: int, asked: str) -> _Looked:
    waiting = [*things]
    found: list[Any] = []
    reads: list[Access] = []
    seen: set[int] = set()
    in_parts = repeats = False
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            repeats = True
            continue
        seen.add(id(thing))
        kind = type(thing)
        if issubclass(kind, (tuple, frozenset)) or kind in _EXACT:
            reads += _reads_of_elements(run, thing, kind, asked, found, waiting)
            continue
        shape = shapes.get(id(kind)) or shape_of(kind)
        if run.is_recording and (way := _way(shape, kind, asked)) is not _OTHERWISE:
            if way is _ATTRIBUTES:
                reads += instance_accesses(thing, lists=asked not in ("compare", "format"))
                waiting += _attributes_of(run, thing, asked)
            continue
        reads += _lives(run, thing, site, asked)
        if _asks_code(shape, kind, asked):
            in_parts = True
            repeats = repeats or _calls_program(kind, asked)
        iterates = kind in LAZY or (shape.base is None and state_of(kind) and is_native_iterator(kind))
        past = shape.base in BASES and (shape.base is kind or _iterates_by_code_of_program(kind))
        inside = reached(thing) if iterates or past else sources(thing) if shape.base is not None else ()
        if iterates:
            reads += moved(run, thing, site)
            waiting += [] if asked else others(thing)
        for container in inside:
            found.append(container)
            reads += contents(container)
            if asked not in _SHALLOW:
                waiting += [each for each in elements(container) if type(each) not in PLAIN]
        waiting += _shown_by(thing, kind, asked)
        looks = _looks(shape)
        if looks is not None or inside:
            reads += reads_by(run, looks, thing, site) if looks is not None else []
            if _has_attributes_beside(kind, asked):
                reads += instance_accesses(thing, lists=True)
                waiting += _attributes_of(run, thing, asked)
        elif _is_error_in_c(thing, kind) and _is_looked_into(shape, kind, asked):
            reads += instance_accesses(thing, lists=True)
            waiting += [thing.args, *objects.dictionary(thing).values()]
        elif state_of(kind) and shape.base is None:
            reads += native_objects.accesses(thing, Op.READ) if not run.is_recording else []
            waiting += _held_beside_state(thing, asked, len(seen)) if not run.is_recording else []
        elif (asked == _COPY or asked not in _SHALLOW) and _is_looked_into(shape, kind, asked):
            reads += instance_accesses(thing, lists=asked not in ("compare", "format"))
            waiting += _attributes_of(run, thing, asked)
    return _Looked(found, reads, in_parts, repeats)


def _reads_of_elements(
    run: Any, thing: Any, kind: type, asked: str, found: list[Any], waiting: list[Any]
) -> list[Access]:
    """The reads of a tuple, a `frozenset`, or a builtin container; adds the latter to those ``found``, and its elements
    to those that are ``waiting``."""
    if kind in _EXACT:
        found.append(thing)
        if asked not in _SHALLOW:
            waiting += [each for each in elements(thing) if type(each) not in PLAIN]
        return contents(thing)
    if asked != _COPY:
        waiting += [each for each in elements(thing) if type(each) not in PLAIN]
    if not _has_attributes_beside(kind, asked):
        return []
    waiting += _attributes_of(run, thing, asked)
    return instance_accesses(thing, lists=True)


def shows_nothing(shape: ClassShape, kind: type) -> bool:
    """Whether no operation of code that is not instrumented reads the content of an object of a class, in a
    recording."""
    return all(_way(shape, kind, asked) is _NOTHING for asked in ("", "call", "compare", "format", _COPY))


#: The reads of an operation on an object of a class, in a recording: none, or its attributes, or as `_within` finds
#: out.
_NOTHING: Final = 0
_ATTRIBUTES: Final = 1
_OTHERWISE: Final = 2


def _way(shape: ClassShape, kind: type, asked: str) -> int:
    """Which of them, remembered with the class's shape. The state of objects in C is not recorded."""
    found = shape.ways.get(asked)
    if found is None:
        found = shape.ways[asked] = _find_way(shape, kind, asked)
    return found


def _find_way(shape: ClassShape, kind: type, asked: str) -> int:
    holds_others = kind in LAZY or kind in _STANDING_IN_C or kind.__module__ == _OF_SIGNATURES
    if (
        shape.base is not None
        or holds_others
        or issubclass(kind, (tuple, frozenset, BaseException, weakref.ref, *SHOWING))
        or (state_of(kind) and is_native_iterator(kind))
    ):
        return _OTHERWISE
    if state_of(kind) or (asked in _SHALLOW and asked != _COPY):
        return _NOTHING
    return _ATTRIBUTES if _is_looked_into(shape, kind, asked) else _NOTHING


#: Objects in C that stand for others, or hold them, and are looked into.
_STANDING_IN_C: Final = frozenset({types.GenericAlias, types.UnionType, types.MappingProxyType})


def _has_attributes_beside(kind: type, asked: str) -> bool:
    """Whether an operation looks at the attributes of a container, too, where its class, which derives from that of
    containers, gives it some: not to compare or describe it."""
    known = (shapes.get(id(kind)) or shape_of(kind)).attributes_beside
    found = known.get(asked)
    if found is None:
        found = known[asked] = _gives_attributes(kind, asked)
    return found


def _gives_attributes(kind: type, asked: str) -> bool:
    is_heap = bool(kind.__flags__ & _HEAP_TYPE) and bool(_dictionary_offset(kind))
    return is_heap and kind not in BASES and (asked in ("call", _COPY) or asked not in (*_SHALLOW, *_ASKS))


def _asks_code(shape: ClassShape, kind: type, asked: str) -> bool:
    """Whether a class has a method in Python, which is not instrumented, for an operation; for an unknown operation,
    whether it has one that describes its objects."""
    found = shape.asks_code.get(asked)
    if found is None:
        asks = (_ASKS.get(asked, ()) if asked else DESCRIBING) if kind.__flags__ & _HEAP_TYPE else ()
        found = shape.asks_code[asked] = any(file not in sites.instrumented for file in _files_of_methods(kind, asks))
    return found


def _calls_program(kind: type, asked: str) -> bool:
    """Whether some methods for an operation are instrumented, so that others may call them, as those of
    `functools.total_ordering` do."""
    return any(file in sites.instrumented for file in _files_of_methods(kind, _ASKS.get(asked, ())))


def _files_of_methods(kind: type, names: Iterable[str]) -> list[str]:
    """The files of a class's methods in Python of these names."""
    values = [each.__dict__.get(name) for each in bases(kind) for name in names]
    return [each.__code__.co_filename for each in values if type(each) is types.FunctionType]


_HEAP_TYPE: Final = 1 << 9


def _shown_by(thing: Any, kind: type, asked: str) -> list[Any]:
    """The objects that an operation on an object looks at, too, if the object holds, or stands for, others."""
    if shape_of(kind).base in _STANDING:
        return stood_for(thing)
    if kind is types.GenericAlias or kind is types.UnionType:  # by identity: a metaclass may see to equality itself
        return [each for each in thing.__args__ if type(each) not in PLAIN]
    if asked in _SHALLOW or not (issubclass(kind, SHOWING) or kind.__module__ == _OF_SIGNATURES):
        return []
    space = objects.dictionary(thing)
    held = [each for each in gc.get_referents(thing) if each is not space]
    return [each for each in (*held, *space.values()) if type(each) not in PLAIN]


def reads_by(run: Any, looks: Callable[..., None], thing: Any, site: int) -> list[Access]:
    """The reads of an object's handler, as of an array; none in recordings. They are part of the step."""
    if run.is_recording:
        looks(run, thing, site, ())
        return []
    stand_in = AccessCollector(run)
    looks(stand_in, thing, site, ())
    return stand_in.accesses


#: Functions to call with the run, an object of a class that is not instrumented, and the site where code in C iterates
#: over it.
iterated: Final[list[Callable[[Any, Any, int], object]]] = []


def reads_of_iteration(run: Any, thing: Any, site: int) -> list[Access]:
    """The reads of an iteration, in one step, over an object that is no builtin container: an array, memory, a
    stream."""
    shape = shape_of(type(thing))
    if shape.base is None:
        if state_of(type(thing)) is FOREIGN:
            for report in iterated:
                report(run, thing, site)
        moves = hasattr(type(thing), "__next__")
        found = native_objects.accesses(thing, Op.RMW if moves else Op.READ) if state_of(type(thing)) else []
        return found + (behind(thing) if state_of(type(thing)) is FOREIGN else [])
    looks = _looks(shape)
    return reads_by(run, looks, thing, site) if looks is not None else []


def _looks(shape: ClassShape) -> Any:
    """The handler that reads all of an array, memory or another container of the library; code in C goes past an
    ``__iter__`` that a derived class defines."""
    return None if shape.base is None or shape.base in BASES else OPERATIONS[shape.base].get("__iter__")


def behind(thing: Any) -> list[Access]:
    """The reads of the objects in the attributes of one whose methods are not instrumented, and goes through them."""
    held = [each for each in objects.dictionary(thing).values() if type(each) not in PLAIN]
    found = [access for each in held for container in sources(each) for access in contents(container)]
    for each in held:
        kind = type(each)
        if shape_of(kind).base is None and state_of(kind) and not harmless.is_value_type(kind):
            found += native_objects.accesses(each, Op.RMW if hasattr(kind, "__next__") else Op.READ)
    return found


#: Finds the location of the life of an object by a weak reference to it: as long as the object lives, references are
#: equal if their objects are, and have a hash; and their description shows that it lives. (The function is in
#: :mod:`natives`.)
life: Final[list[Callable[[Any, Any, int], Any]]] = []


def _lives(run: Any, thing: Any, site: int, asked: str) -> list[Access]:
    """The read of a life, where a weak reference is compared, hashed or described."""
    if not is_a(thing, weakref.ref) or asked not in _ASKS or run.is_recording:
        return []
    return [Access(Op.READ, look(run, thing, site)) for look in life]


def _attributes_of(run: Any, thing: Any, asked: str) -> list[Any]:
    """The attributes of an instance that an operation looks into; where the instance is copied, code gets its
    dictionary for this."""
    if asked == _COPY:
        return []
    if not asked and not run.is_recording:
        objects.adopt_namespace(thing)
    return [each for each in objects.dictionary(thing).values() if type(each) not in PLAIN]


def _held_beside_state(thing: Any, asked: str, reached: int) -> list[Any]:
    """The attributes of an object whose methods are not instrumented: functions that get the object look into them, as
    they do with nodes of `ast`; the elements of a persistent collection in C."""
    if harmless.is_persistent(type(thing)):
        return [each for each in (*thing, *getattr(thing, "values", tuple)()) if type(each) not in PLAIN]
    if asked not in ("call", "format", ""):
        return []
    if reached > _MOST_BESIDE_STATE:
        native_objects.count_cut(thing)
        return []
    return [each for each in objects.dictionary(thing).values() if type(each) not in PLAIN]


_MOST_BESIDE_STATE: Final = 400


#: Views, which stand for the container that has the elements.
_VIEWS: Final = (MappingView, KeysView, ItemsView, ValuesView)
_STANDING: Final = frozenset((UserDict, UserList, ChainMap, types.MappingProxyType, *_VIEWS))


def stood_for(thing: Any) -> list[Any]:
    """The containers that a container of the library stands for; those behind a view may be of any kind."""
    if is_a(thing, (UserDict, UserList)):
        found = [objects.dictionary(thing).get("data")]
    elif is_a(thing, ChainMap):
        found = objects.dictionary(thing).get("maps", [])
    else:
        found = [thing._mapping] if is_a(thing, _VIEWS) else gc.get_referents(thing)
    return [each for each in found if type(each) not in PLAIN]


#: The module of classes in Python that describe their elements: defaults and annotations of parameters.
_OF_SIGNATURES: Final = "inspect"

#: Objects in C that compare, or describe, their elements.
SHOWING: Final = (types.SimpleNamespace, types.MethodType, functools.partial, itertools.repeat, slice)


def _is_error_in_c(thing: Any, kind: type) -> bool:
    """Whether an object is an error that describes itself, and its arguments, in C."""
    return is_a(thing, BaseException) and (state_of(kind) is not FOREIGN or kind in _GROUPS or _describes_in_c(kind))


def _describes_in_c(kind: type) -> bool:
    """Whether the methods by which a class describes its objects are in C."""
    found = [next(each.__dict__[name] for each in bases(kind) if name in each.__dict__) for name in DESCRIBING]
    return not any(type(each) is types.FunctionType for each in found)


#: Errors whose class is made in C of others.
_GROUPS: Final = (BaseExceptionGroup, ExceptionGroup)


def inside(things: Iterable[Any]) -> list[Any]:
    """The elements of containers, or of views of them, that may hold objects themselves."""
    return [
        each
        for thing in things
        for container in (sources(thing) or ([thing] if issubclass(type(thing), (tuple, frozenset, *BASES)) else []))
        for each in elements(container)
        if type(each) not in PLAIN
    ]


def elements(thing: Any) -> list[Any]:
    """The elements of a container."""
    kind = type(thing)
    if issubclass(kind, tuple):
        return [*tuple.__iter__(thing)]
    if issubclass(kind, dict):
        return [*dict.keys(thing), *dict.values(thing)]
    if issubclass(kind, frozenset):
        return [*frozenset.__iter__(thing)]
    if shape_of(kind).base in _STANDING:
        return [inner for each in stood_for(thing) for inner in elements(each)]
    return [*base_of(thing).__iter__(thing)] if issubclass(kind, (list, set, deque, bytearray)) else []


def _is_looked_into(shape: ClassShape, kind: type, asked: str) -> bool:
    """Whether an instance's attributes are read without a hook."""
    found = shape.looked_into.get(asked)
    if found is None:
        found = shape.looked_into[asked] = _instances_are(kind, asked)
    return found


def _instances_are(kind: type, asked: str) -> bool:
    if issubclass(kind, BaseException) and (
        kind in _GROUPS
        or not native_objects.is_in_python(kind)
        or (state_of(kind) is FOREIGN and _describes_in_c(kind))
    ):
        return asked in ("format", "call", _COPY, "")
    if not native_objects.is_in_python(kind) or issubclass(kind, type) or state_of(kind) is FOREIGN:
        return False
    if harmless.is_value_type(kind):
        return False
    asks = _ASKS.get(asked, ())
    if asked in _ASKS and not any(name in each.__dict__ for each in bases(kind)[:-1] for name in asks):
        return False  # `object` compares and describes without looking
    files = _files_of_methods(kind, asks)
    return not files or any(file not in sites.instrumented for file in files)


def instance_accesses(thing: Any, lists: bool = False) -> list[Access]:
    """Reads of all attributes of an instance, of those that a data class has fields for, and with ``lists`` of the set
    of attributes, which matters where a thread may add one."""
    n, kind = number(thing), type(thing)
    shape = shape_of(kind)
    if shape.slots is None:
        shape.slots = [
            name
            for each in bases(kind)
            for name, value in each.__dict__.items()
            if type(value) is types.MemberDescriptorType and each.__flags__ & 1 << 9
        ]
        if is_a(thing, BaseException):
            shape.slots = [*dict.fromkeys(["args", "__notes__", *shape.slots, *_parts_of_error(kind)])]
        shape.slots += [name for name in _fields_of(kind) if name not in shape.slots]
    space = objects.dictionary(thing)
    reads = [(ATTRIBUTE, n, name) for name in dict.fromkeys((*space, *shape.slots))]
    if not _dictionary_offset(kind):
        return reads_of(reads)
    if lists:
        objects.list_attributes(kind)
    return reads_of([*reads, (STRUCTURE, -n)])


_dictionary_offset: Final[Any] = type.__dict__["__dictoffset__"].__get__


def _fields_of(kind: type) -> Iterable[str]:
    """The names of the fields of a data class, which an object may have lost."""
    found: Any = next((each.__dict__[_OF_DATA_CLASS] for each in bases(kind) if _OF_DATA_CLASS in each.__dict__), {})
    return [*found] if type(found) is dict else []


_OF_DATA_CLASS: Final = "__dataclass_fields__"


_FIELDS: Final = frozenset({types.MemberDescriptorType, types.GetSetDescriptorType})


def _parts_of_error(kind: type) -> list[str]:
    """The attributes of an error that are fields of its C structure, and that C, or the library, reads to describe
    it."""
    return [
        name
        for each in bases(kind)
        for name, value in each.__dict__.items()
        if type(value) in _FIELDS and not name.startswith("__")
    ]
