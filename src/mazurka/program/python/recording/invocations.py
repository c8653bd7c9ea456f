"""Calls of marked methods (`mazurka.linearizable`) while a program is recorded, as invocations of the trace.

A call is recorded where it begins and where it ends, each with the place of the caller; its values are texts of
literals (:mod:`mazurka.trace.literals`), in which numbers stand for objects that are no plain values. A call that began
while there was only one thread is not recorded, like all events at that time.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple

from mazurka import marked_methods
from mazurka.marked_methods import InvocationObserver, MarkedClass
from mazurka.program.python import activation
from mazurka.program.python.recording.library_calls import ENTER_HOOK, recording_enter
from mazurka.program.python.recording.library_kinds import identity
from mazurka.program.python.recording.locks import place
from mazurka.program.python.recording.recorder import Recorder
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.literals import Raised, Value, plain, text_of
from mazurka.trace.targets import Kind, Target


class RecordedCall(NamedTuple):
    """A call that has begun."""

    target: Target
    site: int


class RecordedInvocations(InvocationObserver):
    """Records calls as invocations."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def call(self, marked: MarkedClass, thing: Any, method: str, arguments: tuple[Any, ...]) -> RecordedCall | None:
        running: object = activation.active
        if running is not self._recorder:
            return None
        begun = RecordedCall((Kind.METHOD.tag, marked.type_name, number(thing), method), place())
        return begun if self._record(Op.CALL, begun, tuple(map(_value, arguments))) else None

    def end(self, call: object, result: object) -> None:
        if isinstance(call, RecordedCall):
            self._record(Op.RETURN, call, _value(result))

    def leave(self, call: object, error: BaseException) -> None:
        if isinstance(call, RecordedCall):
            self._record(Op.RETURN, call, Raised(type(error).__name__))

    def _record(self, op: Op, call: RecordedCall, value: Value) -> bool:
        return self._recorder.add_call(op, call.target, call.site, text_of(value))


def _value(thing: object) -> Value:
    return plain(thing, identity)


def install(recorder: Recorder) -> Callable[[], None]:
    """Have classes that are marked from now on report to the recorder; returns the function that undoes this."""
    marked_methods.observer = recorder.observer = RecordedInvocations(recorder)
    names = vars(builtins)
    enter = names[ENTER_HOOK]
    names[ENTER_HOOK] = recording_enter(recorder.observer, enter)

    def undo() -> None:
        marked_methods.observer = None
        names[ENTER_HOOK] = enter

    return undo
