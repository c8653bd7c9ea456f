"""Classes, functions and modules that uninstrumented code inspects: ``dir(Box)``, ``inspect.getmembers(Box)``,
``"{0.n}".format(box)``, ``repr(function)``.

Its reads of them are not reported as accesses. So the threads that ran such code are remembered, and at the end of the
run (:func:`.handed_objects.count_at_end`) an inspection counts as untracked if another thread, at the same time, has
stored or deleted an attribute there.

Cost: a tenth of a microsecond for each inspected object.
"""

from __future__ import annotations

import array
import functools
import io
import types
from collections.abc import Callable, Iterable
from typing import Any, Final

from mazurka.program.python.semantics import harmless, untracked
from mazurka.program.python.semantics.locations import NAMELESS, bases, space_name
from mazurka.program.python.semantics.objects import dictionary, is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target, kind_of

#: Number of a class or function, or name of a module, that was inspected -> the threads that inspected it, each with
#: the function that counts this.
looked_at: Final[dict[Any, dict[int, Callable[[], None]]]] = per_run({})

#: Number of a held object -> the threads that held it, each with the functions that count this, by the position in the
#: log since which it is held: -1 if for longer than a call.
held: Final[dict[Any, dict[int, dict[int, Callable[[], None]]]]] = per_run({})


def look(run: Any, things: Iterable[Any], site: int, by: str, behind: bool = False) -> None:
    """Uninstrumented code inspects ``things``; ``behind``: also the classes of instances among them."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    for each in things:
        kind = type(each)
        if kind is types.FunctionType:
            _note(run, number(each), each.__qualname__, site, by)
        elif kind is types.MethodType:
            look(run, (each.__func__,), site, by)
        elif is_a(each, types.ModuleType):
            space = dictionary(each)
            if type(space) is dict:
                _note(run, space_name(space), str(space.get("__name__", NAMELESS)), site, by)
        if kind is not types.FunctionType and kind is not types.ModuleType:
            for one in (*(bases(each) if is_a(each, type) else ()), *(bases(kind) if behind else ())):
                if one.__flags__ & _HEAP_TYPE:
                    _note(run, number(one), one.__name__, site, by)


def hold(run: Any, things: Iterable[Any], site: int, by: str, lasting: bool = False) -> None:
    """Code that is not instrumented holds the bytes of ``things`` while it waits, or for longer (``lasting``):
    meanwhile it is an error to change their number."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    inner = [part for each in things if type(each) in _LISTED for part in each]
    for each in (*things, *inner):
        if type(each) in _WITH_BYTES and (by not in _HASHING or len(each) > _HASHED_AT_ONCE):
            text = f"the bytes of a {type(each).__name__}, held by {by},"
            _note_held(run, each, text, site, -1 if lasting else len(run.log))


def hold_whole(run: Any, known: int, count: Callable[[], None]) -> None:
    """The running thread uses an object, by its number, in more than one step: ``count`` is called if another thread
    changes it at the same time."""
    held.setdefault(known, {}).setdefault(run.current.index, {}).setdefault(-1, count)


def decode(run: Any, stream: Any, site: int, by: str) -> None:
    """A text file reads, and its bytes are decoded by code in Python, during which other threads may use the file."""
    if not run.is_recording and has_concurrent_threads(run):
        _note_held(run, stream, f"a {type(stream).__name__}, used by threads while {by} decodes,", site, len(run.log))


def _note_held(run: Any, thing: Any, text: str, site: int, since: int) -> None:
    """The running thread holds an object since a position in the log; ``text`` is counted if another thread changes the
    object."""
    count = functools.partial(untracked.count_untracked, run, text, site)
    held.setdefault(number(thing), {}).setdefault(run.current.index, {}).setdefault(since, count)


#: Methods of text files that decode.
DECODING: Final = frozenset("read readline readlines __next__ __iter__ seek tell".split())


def locks_at(run: Any, positions: Iterable[tuple[int, int]]) -> dict[tuple[int, int], frozenset[Target]]:
    """The locks that threads hold, by thread and position in the log."""
    wanted: dict[int, list[int]] = {}
    for index, position in positions:
        wanted.setdefault(position, []).append(index)
    found: dict[tuple[int, int], frozenset[Target]] = {}
    locks: dict[int, set[Target]] = {}
    for position, (index, op, target, *_) in enumerate(run.log):
        for each in wanted.get(position, ()):
            found[each, position] = frozenset(locks.get(each, ()))
        if op is Op.ACQUIRE or op is Op.RELEASE:
            _note_lock(locks, index, op, target)
    for each in wanted.get(len(run.log), ()):
        found[each, len(run.log)] = frozenset(locks.get(each, ()))
    return found


def _note_lock(locks: dict[int, set[Target]], index: int, op: Op, target: Target) -> None:
    """A step of a thread may take or release a lock."""
    if op is Op.ACQUIRE and kind_of(target) is Kind.LOCK:
        locks.setdefault(index, set()).add(target)
    elif op is Op.RELEASE:
        for each in locks.values():
            each.discard(target)


#: Types that lend their bytes to others, and can't grow meanwhile.
_WITH_BYTES: Final = frozenset({bytearray, array.array, io.BytesIO})

#: Types that may hold several such objects.
_LISTED: Final = frozenset({list, tuple})

#: A hash releases the GIL while it processes more bytes than these.
_HASHED_AT_ONCE: Final = 2047
_HASHING: Final = frozenset({"update()"})

#: Modules in C whose functions and classes never release the GIL while they have the bytes of an argument.
_KEEPING_THE_GIL: Final = frozenset(
    """builtins _struct _json _codecs _sre _operator itertools _functools math _bisect _heapq _collections _datetime
    marshal _pickle unicodedata _string _random array _weakref _csv _thread types""".split()
)


#: ... except these functions, whose results have the bytes.
_GIVING_ITERATORS: Final = frozenset("iter_unpack finditer scanner PickleBuffer".split())


def hold_by_call(run: Any, module: str | None, name: str, things: tuple[Any, ...], site: int) -> None:
    """A function in C of a module is called with ``things``: it may release the GIL while it has their bytes."""
    for each in things:
        if type(each) in _WITH_BYTES or type(each) in _LISTED:
            if harmless.root_of(module) not in _KEEPING_THE_GIL or name in _GIVING_ITERATORS:
                hold(run, things, site, f"{name}()")
            return


#: Methods in C that use the bytes of their argument without the GIL or for longer than the call.
HOLDING: Final = frozenset(
    """readinto readinto1 recv_into recvfrom_into recvmsg_into sendto sendmsg getbuffer from_buffer update write tofile
    writelines""".split()
)

#: Those of these methods that hold the argument for longer than the call.
LASTING: Final = frozenset({"getbuffer", "from_buffer"})

_HEAP_TYPE: Final = 1 << 9


def _note(run: Any, key: Any, name: str, site: int, by: str) -> None:
    count = functools.partial(untracked.count_untracked, run, f"a look at {name} by {by}", site)
    looked_at.setdefault(key, {}).setdefault(run.current.index, count)


#: Location that the end of an object has written -> the threads that released it last, each with the function that
#: counts this: the object ends some time after the step that releases it, while other threads may look.
ended: dict[Target, dict[int, Callable[[], None]]] = per_run({})
