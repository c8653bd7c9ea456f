"""Calls of marked objects that a run made as one step each, as they are in its log.

Such a step touches the target ``("invoked", object)``. Its value is plain data, so that runs can be kept::

    ("call", type, method, arguments, result, state before, state after)

The last four are texts of :mod:`mazurka.trace.literals`, which differ for all values that a program can tell apart.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, NamedTuple, Protocol

_CALL: Final = "call"


class LoggedCall(NamedTuple):
    """A call as a log has it."""

    type_name: str
    method: str
    arguments: str
    result: str
    before: str
    after: str

    def plain(self) -> tuple[str, ...]:
        """The value of its step."""
        return (_CALL, *self)


class CallEffect(NamedTuple):
    """The texts of a call's result, and of the state that it leads to."""

    result: str
    after: str


class Waiting(Enum):
    """The class of :data:`WAITS`."""

    WAITS = "waits"


#: The outcome of a call that would have to wait.
WAITS: Final = Waiting.WAITS


class CallSemantics(Protocol):
    """The effects of calls of specified types, in texts."""

    def outcome(self, type_name: str, method: str, arguments: str, before: str) -> CallEffect | Waiting | None:
        """The effect of a call in a state; None if that is not known."""
        ...


def logged_call(value: Any) -> LoggedCall | None:
    """The call that the value of a step stands for; None if it is none."""
    if type(value) is tuple and len(value) == 7 and value[0] == _CALL and all(type(part) is str for part in value):
        return LoggedCall(*value[1:])
    return None
