"""A number for each object the program shares, unique in a run and the same in every run of one schedule.

An object is numbered when it is first accessed while several threads exist, by the thread that does so:
``(index of the thread + 1) << 32 | how many it had numbered``. ``id()`` is the key, so an object must not die
unnoticed: weakly referencable ones are watched, the others are held until there is no other reference (checked each
time their number has doubled).

The dictionary of an instance or a class is given the number of its owner, negated: ``vars(x)['a']`` and ``x.a`` are
one location.

In detail mode objects and locations get names a reader understands: an access path (``bank.accounts['alice']``)
where one was seen, ``Account#0.1`` (first used by thread 0, its first such) elsewhere. Describing runs no code of
the program.

Cost: a dictionary look-up for a known object, about a microsecond for a new one.
"""

from __future__ import annotations

import _thread
import gc
import sys
import threading
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Container, Iterator
from functools import partial
from hashlib import blake2b
from typing import Any, Final
from zlib import crc32

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.shapes import forget_shapes
from mazurka.program.python.semantics.shown import is_shown
from mazurka.symbolic.values import SymbolicInt
from mazurka.trace.targets import OBJECTS, Target

#: id of an object -> its number (negative: it is the dictionary of the object with that number).
numbers: dict[int, int] = per_run({})

_watched: dict[int, weakref.ref[Any]] = per_run({})  # id -> a reference; some have died
_kept: dict[int, Any] = per_run({})  # id -> the object itself, if it can't be watched
_owners: dict[int, weakref.ref[type]] = per_run(
    {}
)  # number of a dictionary -> the class of the instance that it belongs to
_counts: dict[int, int] = per_run({})  # index of a thread -> objects it has numbered
_sweep_at = 256
_tidy_at = 4096
_eldest: list[None] = [None]  # an object made at the beginning of the run
_paths: dict[int, str] = per_run({})  # detail mode: id -> access path, or another name
_named: dict[int, Any] = per_run({})  # detail mode: the objects in _paths, held like numbered ones
_assigned: dict[int, int] = per_run({})  # number of a dictionary that was assigned to a `__dict__` -> how often
_shown: dict[str, int] = per_run({})  # detail mode: kind and thread -> how many have got a name of that kind

_LONG: Final = 200  # texts longer than this are compared by a digest
SCALARS: Final = frozenset({int, float, bool, str, bytes, type(None), complex})
_CONTAINERS: Final = (list, dict, set, deque, bytearray)
_MISSING: Final = object()


#: The first of the addresses that ``id()`` returns in a run.
_ADDRESSES: Final = 0x7000_0000_0000

_asked: Final[dict[int, Any]] = {}  # by address: objects whose ``id()`` was asked for outside a run, held

#: Tables by the numbers of objects, which may be looked at after the end of an object.
known_elsewhere: Final[list[Container[Any]]] = []

#: Held while an object gets its number, since threads may be real ones.
_guard: Final = _thread.RLock()

#: By address of a class: itself, and whether its instances show the dictionary that they have.
_shows_dictionary: Final[dict[int, tuple[type, bool]]] = per_run({})


def is_a(thing: object, kinds: type | tuple[type, ...]) -> bool:
    """`isinstance`, except that an object that claims to be of another class (``__class__``) is not asked, so that no
    code runs."""
    return issubclass(type(thing), kinds)


def restart() -> None:
    """Forget the numbers of all objects: a run begins, or has ended."""
    global _sweep_at, _tidy_at
    _sweep_at, _tidy_at = 256, 4096


def living() -> dict[int, Any]:
    """The numbered objects of this run that still exist, by number."""
    found = {}
    for key, known in numbers.items():
        watched = _watched.get(key)
        thing = _kept.get(key) if watched is None else watched()
        if thing is not None and known > 0:
            found[known] = thing
    return found


def referred() -> set[int]:
    """The numbers of those objects that have other references than ours, which keep objects that can't be watched."""
    _sweep()
    return set(living())


def existing(kinds: tuple[type, ...]) -> list[Any]:
    """All objects of exactly these classes; they are unfrozen first, since the collector does not list frozen ones."""
    frozen = gc.get_freeze_count() > 0
    if frozen:
        gc.unfreeze()
    if len(kinds) == 1:  # in two thirds of the time
        found = [each for each in gc.get_objects() if type(each) is kinds[0]]
    else:
        wanted = frozenset(map(id, kinds))
        found = [each for each in gc.get_objects() if id(type(each)) in wanted]
    if frozen:
        gc.freeze()
    return found


def begin() -> None:
    """A run begins: note that objects which exist now are older than those that it makes."""
    global _eldest
    _eldest = [None]


def young(kind: type) -> list[Any]:
    """The objects of exactly this class that were made since the run began; more, if garbage was collected since."""
    return [each for each in made() if type(each) is kind]


def made() -> list[Any]:
    """The objects that were made since the run began; more, if garbage was collected since."""
    found = gc.get_objects(generation=0)
    if not _has_eldest(found):
        found += gc.get_objects(generation=1)  # objects that a collection of the youngest generation has left
        if not _has_eldest(found):
            return gc.get_objects()
    return found


def _has_eldest(found: list[Any]) -> bool:
    return any(each is _eldest for each in found)


def number(thing: object) -> int:
    """The number of an object, or minus that of the instance or class whose dictionary it is."""
    return numbers.get(id(thing)) or _new(thing)


def first_number(run: Any, thing: object, kind: type) -> int:
    """The number of an object that has none yet, and whose first access of an attribute the running thread is about to
    make."""
    fresh = number(thing)
    if run.leaves_out_private and fresh > 0:
        run.sharing.private.begin(fresh, run.current, kind)
    return fresh


def number_own(thing: object, task: Any) -> int:
    """As :func:`number`, of an object that has none yet, and is about to be private to the running thread."""
    index, key = task.index, id(thing)
    task.own += 1
    count = _counts[index] = _counts.get(index, 0) + 1
    fresh: int = (index + 1) * OBJECTS + count
    numbers[key] = fresh
    try:
        _watched[key] = _refer(thing, partial(_forget_number, key))
    except TypeError:  # it can't be referred to weakly
        _kept[key] = thing
        if len(_kept) > _sweep_at:
            _sweep()
    if len(_watched) > _tidy_at:
        _tidy()
    return fresh


_refer, _forget_number = weakref.ref, numbers.pop


def numbered(index: int) -> int:
    """How many objects a thread has numbered."""
    return _counts.get(index, 0)


def identity(thing: object, /) -> int:
    """The value of ``id()`` in a run: a number that the object has in every run of one schedule. Objects whose number
    was asked for before the run keep that one."""
    running: Any = activation.active
    address = id(thing)
    if running is None or running.is_recording:
        _asked[address] = thing
    elif address not in _asked:
        known = number(thing)
        return _ADDRESSES + (abs(known) << 4 | (known < 0) << 3)
    return address


def forget_asked() -> None:
    """Forget the objects whose ``id()`` was asked for: no code that knows it is run any more."""
    _asked.clear()


def _new(thing: object) -> int:
    if (running := activation.active) is not None and not running.is_recording:
        return _give_number(thing)  # all threads are greenlets of one
    with _guard:
        return numbers.get(id(thing)) or _give_number(thing)


_can_be_watched: Final[Callable[[type], int]] = type.__dict__[
    "__weakrefoffset__"
].__get__  # runs no code of a metaclass


def can_be_watched(thing: object) -> bool:
    """Whether it can be referred to weakly."""
    return bool(_can_be_watched(type(thing)))


def _give_number(thing: object) -> int:
    running: Any = activation.active
    if running is not None and running.is_recording:
        fresh: int = running.number_for(thing)
    else:
        index = running.current.index if running is not None else 0
        count = _counts[index] = _counts.get(index, 0) + 1
        fresh = (index + 1) * OBJECTS + count
    key = id(thing)
    numbers[key] = fresh
    if _can_be_watched(type(thing)):
        _watched[key] = weakref.ref(thing, partial(numbers.pop, key))  # no code of ours runs when it dies
        if len(_watched) > _tidy_at:
            _tidy()
    else:
        _kept[key] = thing
        if len(_kept) > _sweep_at:
            _sweep()
    return fresh


def keeps(owner: object) -> bool:
    """Whether an object is our own table of those that can't be referred to weakly."""
    return owner is _kept


def _tidy() -> None:
    """Release the watchers of objects that have ended."""
    global _tidy_at
    for key in list(_watched):
        if key not in numbers:
            _watched.pop(key, None)  # a collection in between may have had us called again
    run: Any = activation.active
    if run is not None and run.private:
        existing_now = {*numbers.values()}
        run.sharing.private.keep(lambda n: n in existing_now or any(n in known for known in known_elsewhere))
    _tidy_at = max(4096, 2 * len(_watched))


def stop_watching(thing: object) -> None:
    """An operation is about to happen that an object refuses while there are weak references to it."""
    _watched.pop(id(thing), None)


def hide_watching(thing: object) -> None:
    """Code is about to look for weak references to an object: ours is none of the program's."""
    if _watched.pop(id(thing), None) is not None:
        _kept[id(thing)] = thing


#: At each weak reference, objects that only we hold are looked for among at most so many: more would take too long.
_MOST_SWEPT: Final = 10_000


def let_go() -> bool:
    """Whether an object still exists is about to be observed: release those that only our references keep alive. False
    if there are too many objects to look through, so that some may be kept alive."""
    while _kept:
        before = len(_kept)
        if before > _MOST_SWEPT:
            return False
        _sweep()
        if len(_kept) == before:
            break
    return True


def release() -> Callable[[], None]:
    """No step follows in this run: hold the objects no longer that it has made, of which a collection of garbage
    follows. Returns a function to call then, which gives those that still exist their numbers again."""
    before, young = dict(numbers), set(map(id, made()))
    released = [key for key in _kept if key in young]
    for key in released:
        del _kept[key]
    for key in [key for key in _named if key in young]:
        del _named[key]

    def recall() -> None:
        existing_now = set(map(id, gc.get_objects(generation=1)))
        for key in released:
            numbers.pop(key, None)
        for key in before.keys() & existing_now:
            numbers.setdefault(key, before[key])

    return recall


def before_collection(phase: str, _info: dict[str, int]) -> None:
    """A collection of garbage is about to begin (for `gc.callbacks`): release objects that only we hold, which are
    garbage."""
    if phase == "start" and _kept:
        _sweep()


def _sweep() -> None:
    """Release objects without other references."""
    global _sweep_at
    references, get = sys.getrefcount, _kept.get
    if not _named and min(map(references, _kept.values()), default=0) > _FEWEST:
        _sweep_at = max(256, 2 * len(_kept))
        return  # mostly so where this is called before each step
    fewest = references(_NOBODY_ELSES.get(0))
    for key in [each for each in list(_kept) if references(get(each)) <= fewest + (each in _named)]:
        numbers.pop(key, None)
        if _named.pop(key, None) is not None:
            _paths.pop(key, None)
        _kept.pop(key, None)
    _sweep_at = max(256, 2 * len(_kept))


_NOBODY_ELSES: Final = {0: type("Calibration", (), {"__slots__": ()})()}
_FEWEST: Final = min(map(sys.getrefcount, _NOBODY_ELSES.values()))


def adopt_namespace(owner: object) -> None:
    """Count accesses to the dictionary of an instance, or of a class, as accesses to its owner."""
    if is_a(owner, BaseException):
        object.__getattribute__(owner, "__dict__")  # the program is about to get it in the same way
    space = dictionary(owner)
    if type(space) is dict:
        if id(space) not in numbers:
            adopt_dictionary(owner, space)
    elif is_a(owner, type):
        (behind,) = gc.get_referents(space)  # it has no other reference, so it lives as long as the class
        key = id(behind)
        if key not in numbers:
            numbers[key] = -number(owner)
            _watched[key] = weakref.ref(owner, partial(numbers.pop, key))


def adopt_dictionary(owner: object, space: Any) -> None:
    """Count accesses to a dictionary that becomes that of an instance as accesses to its owner from now on."""
    list_attributes(type(owner))
    numbers[id(space)] = n = -number(owner)
    _kept[id(space)] = space
    _owners[n] = weakref.ref(type(owner))
    for note in adopting:
        note(owner, space)


#: Functions to call with an instance and its dictionary, once the program can get at the dictionary.
adopting: list[Callable[[Any, dict[str, Any]], None]] = []


def kind_of_owner(n: int) -> type | None:
    """The class of the instance that a dictionary of this number belongs to."""
    reference = _owners.get(n)
    return reference() if reference is not None else None


def assign_dictionary(space: Any) -> None:
    """A dictionary is assigned to a `__dict__`: count how often, also of a dictionary that an instance already had."""
    n = number(space)
    _assigned[abs(n)] = _assigned.get(abs(n), 0) + (1 if n > 0 else 2)


def shared_dictionaries() -> bool:
    """Whether instances share their attributes, as far as is known."""
    return any(count > 1 for count in _assigned.values())


def is_listed(kind: type) -> bool:
    """Whether the dictionaries of instances of a class are known to be looked at."""
    run = activation.active
    return run is not None and not run.is_recording and _listing(kind) in run.points


def list_attributes(kind: type) -> None:
    """From now on the dictionaries of instances of a class are known to be looked at."""
    run = activation.active
    if run is None or run.is_recording or _listing(kind) in run.points:
        return
    run.sharing.learn((_listing(kind),))
    forget_shapes()


def _listing(kind: type) -> int:
    """The mark among points for a class whose instances' dictionaries are looked at."""
    return -1 - (crc32(type.__dict__["__qualname__"].__get__(kind).encode()) | 1 << 34)


#: Values of which there may be several that are equal.
_LIKE_OBJECTS: Final = frozenset((tuple, str, bytes, float, complex, frozenset))


def compares_identities() -> bool:
    """Whether the running program compares values by identity, and not only by equality."""
    return activation.active is not None and not sites.comparing_identity.isdisjoint(sites.instrumented)


def value_key(value: Any) -> tuple[Any, ...]:
    """A key for a value: a program can distinguish values of equal keys only by the content of mutable objects."""
    kind = type(value)
    if kind in _LIKE_OBJECTS and compares_identities():
        return ("object", number(value))
    if kind is float or kind is complex:
        return (kind.__name__, repr(value))  # 0.0 is not -0.0, and nan is nan
    if (kind is str or kind is bytes) and len(value) > _LONG:
        return (
            kind.__name__,
            len(value),
            blake2b(value if kind is bytes else value.encode(errors="surrogatepass")).digest(),
        )
    if kind in SCALARS:
        return (kind.__name__, value)
    if kind is SymbolicInt:
        return value.key  # type: ignore[no-any-return]
    if kind is tuple:
        return ("tuple", *[value_key(part) for part in value])
    if kind is frozenset:
        return ("frozenset", *sorted([value_key(part) for part in value], key=repr))
    if issubclass(kind, tuple):
        return ("tuple", number(kind), *[value_key(part) for part in tuple.__iter__(value)])
    if issubclass(kind, BaseException):
        return ("object", number(value), value_key(value.args))
    if value is _MISSING:
        return ("missing",)
    return ("object", number(value))


# -- in words, for reports ------------------------------------------------------------------------------------------


def name(thing: Any) -> str:
    """A stable name: the access path where one is known."""
    path = _paths.get(id(thing))
    if path is not None:
        return path
    if is_a(thing, (type, types.FunctionType, types.ModuleType)):
        return str(getattr(thing, "__qualname__", None) or thing.__name__)
    found = next(_look_around(thing), None) or _next_name(thing)
    remember(thing, found)
    return found


def _next_name(thing: Any) -> str:
    """``Account#0.1``: the first that was shown of its kind while thread 0 ran."""
    running = activation.active
    kind = f"{type(thing).__name__}#{running.current.name if running is not None else '0'}"
    count = _shown[kind] = _shown.get(kind, 0) + 1
    return f"{kind}.{count}"


def remember(thing: Any, path: str) -> None:
    """Keep the path by which an object was reached, as long as it lives; this must not change how long it lives."""
    key = id(thing)
    known = _paths.get(key)
    if type(thing) not in SCALARS and (known is None or ("#" in known and "#" not in path)):
        _paths[key] = path
        try:
            _named[key] = weakref.ref(thing, lambda _dead: _paths.pop(key, None))
        except TypeError:
            _named[key] = thing


def _look_around(thing: object) -> Iterator[str]:
    """Names of an object in the modules and functions that are running."""
    frame: types.FrameType | None = sys._getframe(1)
    frames = []
    while frame is not None:
        if frame.f_code.co_filename in sites.instrumented:
            frames.append(frame)
        frame = frame.f_back
    for space in [each.f_globals for each in frames] + [each.f_locals for each in frames]:
        for key, value in list(space.items()):
            if value is thing and key not in ("self", "cls") and not key.startswith(("__", "@")):
                yield key


def describe(value: Any, depth: int = 1) -> str:
    """A short text for a value."""
    kind = type(value)
    if kind in SCALARS:
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    if kind is SymbolicInt:
        return str(value.value)
    if is_a(value, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
        return str(getattr(value, "__name__", repr(kind)))
    if depth and (kind is list or kind is tuple or kind is set or kind is frozenset or kind is deque):
        parts = [describe(part, depth - 1) for part in list(value)[:6]]
        more = ", ..." if len(value) > 6 else ""
        marks = "()" if kind is tuple else "[]" if (kind is list or kind is deque) else "{}"
        return f"{marks[0]}{', '.join(parts)}{more}{marks[1]}"
    if depth and is_a(value, dict) and (kind is dict or kind is OrderedDict or kind is defaultdict):
        pairs = [f"{describe(k, 0)}: {describe(v, 0)}" for k, v in list(dict.items(value))[:6]]
        return "{" + ", ".join(pairs) + (", ..." if len(value) > 6 else "") + "}"
    if is_a(value, BaseException):
        return f"{kind.__name__}"
    if is_a(value, threading.Thread) and type(called := dictionary(value).get("_name")) is str:
        return called
    return name(value)


def label(running: Any, target: Target, thing: object, part: str = "") -> None:
    """Put a target in words, once; ``part`` follows the object's name."""
    if running.keyed:
        running.names[target] = ""
    elif target not in running.names:
        running.names[target] = name(thing) + part


def peek_attribute(thing: Any, attribute: str) -> Any:
    """The attribute's value, if it can be read without running code; `_MISSING` otherwise."""
    space = dictionary(thing)
    if attribute in space:
        return space[attribute]
    lookup = [*(thing.__mro__ if is_a(thing, type) else ()), *type(thing).__mro__]
    for each in lookup:
        if attribute in each.__dict__:
            found = each.__dict__[attribute]
            if _is_field(thing, found):
                try:
                    return found.__get__(thing)
                except AttributeError:
                    return _MISSING
            return found
    return _MISSING


def own_attribute(thing: Any, attribute: str) -> Any:
    """The attribute's value in the object itself, not in a class of it; `_MISSING` where there is none."""
    if attribute in dictionary(thing):
        return dictionary(thing)[attribute]
    found = next((each.__dict__[attribute] for each in type(thing).__mro__ if attribute in each.__dict__), None)
    return peek_attribute(thing, attribute) if _is_field(thing, found) else _MISSING


def _is_field(thing: Any, found: Any) -> bool:
    """Whether a class's attribute is a slot, or a field of an error: a read of these runs no code."""
    kind = type(found)
    return kind is types.MemberDescriptorType or (kind is types.GetSetDescriptorType and is_a(thing, BaseException))


def dictionary(thing: Any) -> Any:
    """The namespace of an object, without running code; an empty one if it has none, or hides it."""
    kind = type(thing)
    known = _shows_dictionary.get(id(kind))
    if known is None:
        known = _shows_dictionary[id(kind)] = (kind, _is_shown_dictionary(kind))
    if not known[1] or (issubclass(kind, BaseException) and len(BaseException.__reduce__(thing)) < 3):
        return NO_ATTRIBUTES  # an error gets its dictionary at the first look, and shows it when it is pickled
    try:
        space = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return NO_ATTRIBUTES
    return space if type(space) is dict or is_a(space, (dict, types.MappingProxyType)) else NO_ATTRIBUTES


def _is_shown_dictionary(kind: type) -> bool:
    """Whether the `__dict__` of a class's instances is the interpreter's own, and no property of the program's."""
    for base in _bases_of(kind):
        if "__dict__" in (space := _names_of(base)):
            return type(space["__dict__"]) in (types.GetSetDescriptorType, types.MemberDescriptorType)
    return False


_bases_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_names_of: Final[Callable[[type], Any]] = type.__dict__["__dict__"].__get__

#: Stands for the dictionary of objects without one.
NO_ATTRIBUTES: Final[dict[str, Any]] = {}


def peek(look: Callable[[], Any], path: str) -> Callable[[], Any]:
    """A callable that describes the object that ``look`` finds, and keeps the path by which it was found.

    Where values are wanted as keys (:attr:`Plan.keys`) it returns the key of the object that ``look`` finds.
    """
    running = activation.active
    if running is not None and running.keyed:
        return lambda: value_key(found) if (found := look()) is _MISSING or is_shown(found) else None

    def described() -> str:
        found = look()
        if found is _MISSING:
            return "nothing"
        if found is UNSEEN:
            return "something"
        if is_a(found, _CONTAINERS) or type(found).__flags__ & 1 << 9:
            if not is_a(found, (type, types.FunctionType, types.ModuleType)):
                remember(found, path)
        return describe(found)

    return described


MISSING: Final = _MISSING

#: The result of a look-up that is impossible without running code of the program.
UNSEEN: Final = object()
