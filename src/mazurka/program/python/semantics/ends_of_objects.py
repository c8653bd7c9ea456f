"""Code of the program that runs at the end of an object: finalisers, and callbacks of weak references.

The thread that lets go of an object last runs them. Variables of functions, and references in containers that nothing
else leads to, are let go of in no step, so the search doesn't explore which of two threads does so last. In another
order another thread would run the finaliser, after all steps that this execution has before the object's end, or at
some time after that. The outcomes are the same if each step of the finaliser commutes with the steps of other code that
might then come on the other side of it, and it does not ask which thread it runs in. Those are all steps but

- steps of the running thread before the end: they come before it in any order;
- steps on the object itself, which no thread can reach later on;
- all, if no other thread has taken a step since the thread made the object: none can have it;
- steps of the main thread when it has seen all others end.

So at the end of a run an execution of a finaliser while there are other threads counts as untracked if any other step
conflicts with one of its. Calls of weak references' functions at the end of an object always count then. What a
finaliser reads from a `threading.local` or a context variable is not considered.

Cost: for programs with finalisers, a frame for each call of one; one pass over the log of a run that has called one.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import objects
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.steps_in_order import steps_in_order
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import WRITES
from mazurka.trace.targets import Target


class _Execution(NamedTuple):
    """An execution of a finaliser."""

    thread: int  # by index
    number: int  # of its object
    begin: int  # the position in the log of its first step
    end: int  # the position after its last one
    looks: bool  # whether it asks which thread it runs in
    kind: str


_MAIN: Final = 0

#: The executions of finalisers in this run while there were other threads.
_executions: Final[list[_Execution]] = per_run([])

#: By the identity of an object with a finaliser: its class, the thread that made it, and how many steps came before.
_made: Final[dict[int, tuple[type, int, int]]] = per_run({})

#: Weak references that have the end of an object counted, by the identity of the object.
_watched: Final[dict[int, Any]] = per_run({})


def finaliser(function: Any) -> Any:
    """What is about to become the method ``__del__`` of a class: a function that notes its executions."""
    if not callable(function) or isinstance(function, type):
        return function

    @functools.wraps(function)
    def __del__(thing: Any, *more: Any) -> Any:  # noqa: N807  # as tracebacks name it
        run = activation.active
        if run is None or run.solo or run.is_recording or run.aborting or not has_concurrent_threads(run):
            return function(thing, *more)
        begin, thread, number = len(run.log), run.current.index, abs(objects.number(thing))
        if _is_private(run, thing):
            return function(thing, *more)
        told_apart, run.told_apart = run.told_apart, set()
        try:
            return function(thing, *more)
        finally:
            looks = bool(run.told_apart)
            run.told_apart |= told_apart
            if looks or len(run.log) > begin:
                kind = type(thing).__name__
                _executions.append(_Execution(thread, number, begin, len(run.log), looks, kind))

    return __del__


def maker(kind: type) -> Any:
    """What is to be called to make an object of a class: if this has a finaliser, and each call makes a new object,
    a function that notes who makes it."""
    spaces = [each.__dict__ for each in kind.__mro__[:-1]]
    has_finaliser = any("__del__" in each for each in spaces) and not any("__new__" in each for each in spaces)
    return functools.partial(_make, kind) if has_finaliser else kind


def _make(kind: type, *args: Any, **named: Any) -> Any:
    run: Any = activation.active
    begin, thread = len(run.log), run.current.index
    thing = kind(*args, **named)
    _made[id(thing)] = type(thing), thread, begin
    return thing


def _is_private(run: Any, thing: Any) -> bool:
    """Whether the running thread has made the object that it ends, and no other one has taken a step since."""
    kind, thread, begin = _made.pop(id(thing), (None, -1, 0))
    if kind is not type(thing) or thread != run.current.index:
        return False
    return all(entry[0] == thread for entry in run.log[begin:])


def watch(thing: Any) -> None:
    """A function of the program is to be called at the end of an object, or of that of a method."""
    thing = thing.__self__ if type(thing) is types.MethodType else thing
    if id(thing) not in _watched and objects.can_be_watched(thing):
        _watched[id(thing)] = weakref.ref(thing, functools.partial(_ended, id(thing), type(thing).__name__))


def _ended(key: int, kind: str, _reference: Any) -> None:
    _watched.pop(key, None)
    run: Any = activation.active
    if run is not None and not (run.solo or run.is_recording or run.aborting) and has_concurrent_threads(run):
        _count(run, kind)


def _count(run: Any, kind: str) -> None:
    text = f"the end of an object of {kind}, of which another thread might let go last"
    run.untracked[text] = run.untracked.get(text, 0) + 1


def count_at_end(run: Any) -> None:
    """A run has ended: count executions of finalisers whose thread makes a difference."""
    if sites.is_in_program(sites.naming_finalisers):
        run.untracked["a finaliser that a class gets by its name"] = 1
    for each in _executions:
        if each.looks or not _commutes(run, each):
            _count(run, each.kind)


def _commutes(run: Any, execution: _Execution) -> bool:
    """Whether the steps of a finaliser commute with all that might come on the other side of them."""
    thread, begin = execution.thread, execution.begin
    mine: dict[Target, bool] = {}  # the locations that it accesses -> whether it writes them
    for position in range(begin, execution.end):
        if run.log[position][0] == thread:
            for target, writes in _accesses(run.log[position]):
                if not (len(target) > 1 and type(target[1]) is int and abs(target[1]) == execution.number):
                    mine[target] = mine.get(target, False) or writes
    for step in steps_in_order(run):
        if step.entry[0] == thread and step.position < execution.end:
            continue
        for target, writes in _accesses(step.entry):
            if target in mine and (writes or mine[target]):
                if step.entry[0] != _MAIN or step.begun - step.joined - {_MAIN}:
                    return False
    return True


def _accesses(entry: Any) -> Iterator[tuple[Target, bool]]:
    _, op, target, _, _, _, more = entry
    yield target, bool(WRITES[op])
    for how, where, _ in more:
        yield where, bool(WRITES[how])


def original(function: Any) -> Any:
    """The function of the program that a finaliser calls."""
    wrapped = getattr(function, "__wrapped__", None)
    is_ours = type(function) is types.FunctionType and function.__code__.co_filename == __file__
    return wrapped if is_ours else function
