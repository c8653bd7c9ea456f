"""Classes that a thread has made by calling `type`, and that no other thread can refer to: `unittest.mock` gives each
mock one of its own, and puts the special methods there.

The look-up of a special method is not reported as an access, so storing one counts as untracked, unless no other thread
can have the class or an instance. Another thread gets at an object that a thread has made only if it reads a location
that its maker has written since. So a class stays private as long as no thread touches a location that its maker has
written since it made the class, except for threads that have seen the maker end, and for locations that can't lead to
an object, such as clocks. Whether one does is determined at the end of the run; for another order of the same steps, in
the run with that order.

Cost: one look through the steps of a run at its end, if a special method was stored.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Kind, Target, kind_of, of_kinds

#: id of a class -> a reference to it, the thread that made it, and how many steps there were then.
_made: Final[dict[int, tuple[weakref.ref[type], int, int]]] = per_run({})

#: Thread -> how many steps there were when it made the first of its classes that got a special method, and the
#: functions that count these changes as untracked.
_changed: Final[dict[int, tuple[int, list[Callable[[], None]]]]] = per_run({})


def made_by(run: Any, function: Any, count: int) -> Any:
    """The function to call in place of ``function`` with ``count`` arguments: another one if the call makes a class."""
    if function is type and count == 3 and not run.is_recording and has_concurrent_threads(run):
        return _make
    return function


def _make(name: str, parents: tuple[type, ...], namespace: dict[str, Any], /, **named: Any) -> Any:
    """Stands for ``type(name, parents, namespace)``."""
    space = namespace
    if type(name) is str and isinstance(namespace, dict):  # otherwise `type` raises an error
        space = dict(namespace)
        space.setdefault("__module__", sys._getframe(1).f_globals.get("__name__"))  # as `type` takes it from its caller
    run: Any = activation.active
    began = len(run.log) if run is not None else 0
    kind = type(name, parents, space, **named)
    if run is not None and type(kind) is type:
        _made[id(kind)] = (weakref.ref(kind), run.current.index, began)
    return kind


def is_own(run: Any, kind: Any) -> bool:
    """Whether the running thread has made a class while others were there."""
    known = _made.get(id(kind))
    return known is not None and known[0]() is kind and known[1] == run.current.index


def change(run: Any, kind: type, count: Callable[[], None]) -> None:
    """A special method of a private class of the running thread is stored: ``count`` is called if other threads get at
    the class."""
    began = _made[id(kind)][2]
    first, counts = _changed.get(run.current.index, (began, []))
    _changed[run.current.index] = (min(began, first), [*counts, count])


def count_at_end(run: Any) -> None:
    """A run has ended: count changes of classes that other threads may have got at."""
    for maker, (began, counts) in _changed.items():
        if _is_followed(run, maker, began):
            for count in counts:
                count()


def _is_followed(run: Any, maker: int, began: int) -> bool:
    """Whether some thread has touched a location that the maker has written from a step on, while the maker might
    last."""
    joined: dict[int, set[int]] = {}
    written: set[Target] = set()
    lock = _lock_of_mocks()
    for position, (index, op, target, _site, _point, _value, more) in enumerate(run.log):
        if _is_buffer(target):
            return True  # its flushers write in the thread's place
        if op is Op.BEGIN:
            parent = run.by_name.get(run.tasks[index].name.rpartition(".")[0])
            joined[index] = set(joined.get(parent.index, ())) if parent is not None else set()
        elif op is Op.JOIN and kind_of(target) is Kind.THREAD:
            ended = run.by_name[target[1]].index
            joined.setdefault(index, set()).update({ended}, joined.get(ended, ()))
        if position < began:
            continue
        touched = [(op, target), *[(each.op, each.target) for each in more]]
        if index == maker:
            written.update([each for how, each in touched if WRITES[how] and not _leads_nowhere(each) and each != lock])
        elif maker not in joined.get(index, ()) and any(each in written for _, each in touched):
            return True
    return False


_is_buffer: Final = of_kinds(Kind.STORE, Kind.FLUSHED, Kind.FENCE)

#: Whether a read of a location can give only a number.
_leads_nowhere: Final = of_kinds(Kind.THREADS, Kind.START, Kind.CLOCK, Kind.TIME, Kind.SLEEP, Kind.SPIN)


def _lock_of_mocks() -> Target | None:
    """The location of the one lock that all mocks take to make attributes. Other locks may be a queue's, whose items
    have no location."""
    mocks: Any = sys.modules.get("unittest.mock")
    lock = getattr(getattr(mocks, "NonCallableMock", None), "_lock", None)
    return getattr(lock, "_target", None)
