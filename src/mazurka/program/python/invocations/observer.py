"""Has calls of marked methods made as single steps, and holds each to its specification.

Before a call and after it the class's ``state`` function returns the content of the object. The call has to return the
result, and to leave the state, that the model of the type gives. Otherwise, or where that can't be known, the type's
calls are ordinary code (:mod:`.runtime`). So a class that is marked wrongly costs a search, but its executed calls lead
to no wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from mazurka import marked_methods
from mazurka.marked_methods import InvocationObserver, MarkedClass
from mazurka.program.python.invocations.marks import ObstacleReason, ordinary
from mazurka.program.python.invocations.runtime import InvokingRuntime, OpenCall
from mazurka.program.python.primitives.run import here
from mazurka.program.python.semantics.objects import existing
from mazurka.program.settings import CallModels
from mazurka.trace.event import Op
from mazurka.trace.literals import Raised, Value, plain, text_of, value_of, words_of
from mazurka.trace.logged_calls import CallEffect, LoggedCall

#: The marked classes of this process, by full name.
_marked: Final[dict[str, MarkedClass]] = {}

#: The objects of these classes that existed at the first look: they were made before the runs, or in the first one.
_earlier: list[tuple[str, Any]] | None = None


class NoValue(Exception):
    """Raised for an object that is no plain value."""


class CallInRun(NamedTuple):
    """A call that is made as one step: of which object, and with which effect."""

    runtime: InvokingRuntime
    opened: OpenCall
    thing: Any
    marked: MarkedClass
    method: str
    arguments: str
    before: str
    effect: CallEffect


class Making(NamedTuple):
    """A marked object is being made."""

    runtime: InvokingRuntime
    opened: OpenCall | None


class CallsAsSteps(InvocationObserver):
    """Makes calls single steps, and holds each to its specification."""

    hides_making = True

    def __init__(self, models: CallModels) -> None:
        self._models = models

    def mark(self, marked: MarkedClass) -> None:
        _marked[marked.full_name] = marked
        self._models.prepare(marked.type_name)

    def make(self, marked: MarkedClass, thing: Any) -> object:
        runtime = _runtime_for(marked)
        if runtime is None:
            return None
        return Making(runtime, runtime.make(marked.full_name, runtime.knows(marked.full_name, thing)))

    def made(self, call: object) -> None:
        if isinstance(call, Making) and call.opened is not None and call.runtime.within is call.opened:
            if call.runtime.has_leaked(call.opened):
                call.runtime.give_up(call.opened.name, ObstacleReason.SHARED)
            else:
                call.runtime.leave(call.opened, Op.RMW, None)

    def call(self, marked: MarkedClass, thing: Any, method: str, arguments: tuple[Any, ...]) -> object:
        runtime = _runtime_for(marked)
        if runtime is None or runtime.solo:
            return None
        name = marked.full_name
        if (reason := self._obstacle(marked, method)) is not None:
            runtime.give_up(name, reason)
            return None
        number = runtime.knows(name, thing)
        opened = runtime.enter(name, number)
        if opened is None:
            return None
        begun = runtime.look_up(lambda: self._begun(runtime, opened, thing, marked, method, arguments))
        if isinstance(begun, ObstacleReason):
            runtime.give_up(name, begun)
            return None
        return begun

    def _begun(
        self,
        runtime: InvokingRuntime,
        opened: OpenCall,
        thing: Any,
        marked: MarkedClass,
        method: str,
        arguments: tuple[Any, ...],
    ) -> CallInRun | ObstacleReason:
        """A call that has begun; or the reason why it is no step."""
        try:
            given, before = text_of(_value(arguments)), _state(marked, thing)
        except Exception:  # the class's own ``state`` may raise any exception
            return ObstacleReason.VALUES
        if runtime.states.get(opened.receiver, before) != before:
            return ObstacleReason.SHARED
        effect = self._models.effect(marked.type_name, method, given, before)
        if effect is None:
            return ObstacleReason.WAITS
        return CallInRun(runtime, opened, thing, marked, method, given, before, effect)

    def _obstacle(self, marked: MarkedClass, method: str) -> ObstacleReason | None:
        """Why no call of a method can be a step."""
        if marked.state is None:
            return ObstacleReason.NO_STATE
        return None if self._models.describes(marked.type_name, method) else ObstacleReason.NO_MODEL

    def end(self, call: object, result: object) -> None:
        if isinstance(call, CallInRun):
            _end(call, lambda: text_of(_value(result)))

    def leave(self, call: object, error: BaseException) -> None:
        if isinstance(call, CallInRun) and not call.runtime.aborting:
            _end(call, lambda: text_of(Raised(type(error).__name__)))


def _end(call: CallInRun, result: Callable[[], str]) -> None:
    runtime, name = call.runtime, call.marked.full_name
    if runtime.within is not call.opened:
        return  # the call was given up
    try:
        found = runtime.look_up(lambda: CallEffect(result(), _state(call.marked, call.thing)))
    except Exception:  # as before
        runtime.give_up(name, ObstacleReason.VALUES)
        return
    if found != call.effect:
        runtime.give_up(name, ObstacleReason.DIFFERS)
        return
    if runtime.has_leaked(call.opened):
        runtime.give_up(name, ObstacleReason.SHARED)
        return
    runtime.states[call.opened.receiver] = found.after
    runtime.assumed.add(call.marked.assumption)
    value = LoggedCall(call.marked.type_name, call.method, call.arguments, found.result, call.before, found.after)
    changes = found.after != call.before
    runtime.leave(call.opened, Op.RMW if changes else Op.READ, value.plain() if runtime.keyed else _words(value))


def _words(call: LoggedCall) -> str:
    """A call for a report."""
    given = value_of(call.arguments)
    arguments = ", ".join(map(words_of, given)) if isinstance(given, tuple) else ""
    return f"{call.method}({arguments}) = {call.result}"


def _runtime_for(marked: MarkedClass) -> InvokingRuntime | None:
    """The run in progress, if calls of this class are steps there; otherwise None."""
    models = here()
    if models is None or not isinstance(models.runtime, InvokingRuntime):
        return None
    return (
        None
        if any(ordinary(marked.full_name, each) in models.runtime.points for each in ObstacleReason)
        else models.runtime
    )


def _state(marked: MarkedClass, thing: Any) -> str:
    """The text of an object's abstract state."""
    assert marked.state is not None
    return text_of(_value(marked.state(thing)))


def _value(thing: Any) -> Value:
    """An object as a plain value. Raises NoValue for other objects, and for values with a number in them that is not
    equal to itself."""
    found = plain(thing, _refuse)
    if not _is_equal_to_itself(found):
        raise NoValue
    return found


def _is_equal_to_itself(value: Value) -> bool:
    parts = value if isinstance(value, tuple | frozenset) else ()
    return type(value) is not float or value == value if not parts else all(map(_is_equal_to_itself, parts))


def _refuse(thing: object) -> str:
    raise NoValue(type(thing).__name__)


def look_back(runtime: InvokingRuntime) -> None:
    """At the end of a run, see :meth:`InvokingRuntime.look_back`; objects that were made before all runs count, too."""
    global _earlier
    if _earlier is None:
        kinds = {kind: marked.full_name for kind, marked in marked_methods.living()}
        _earlier = [(kinds[type(thing)], thing) for thing in existing(tuple(kinds))] if kinds else []
    for name, thing in _earlier:
        runtime.knows(name, thing)
    runtime.look_back()


def notes(points: set[int]) -> list[str]:
    """The marked classes that were explored as ordinary code, with the reasons, for a report."""
    return [
        f"calls of {marked.class_name} were explored as ordinary code: {reason.words}"
        for name, marked in sorted(_marked.items())
        for reason in ObstacleReason
        if ordinary(name, reason) in points
    ]


def install(models: CallModels) -> Callable[[], None]:
    """Have marked classes, present and future ones, report calls; returns the function that undoes this."""
    before = marked_methods.observer
    marked_methods.observer = CallsAsSteps(models)
    forget = marked_methods.observe_known(marked_methods.observer)

    def undo() -> None:
        global _earlier
        _earlier = None
        forget()
        marked_methods.observer = before
        _marked.clear()

    return undo
