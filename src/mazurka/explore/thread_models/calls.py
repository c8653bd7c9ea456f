"""Calls of marked objects as steps of threads (see :mod:`mazurka.trace.logged_calls`).

A thread sees only the result of such a step. So the edges of its tree distinguish results; the state of the object is
memory, and the object's model computes the effect of a call on it. Two orders of calls after which all threads have the
same results and all objects the same states lead to one joint state: in particular two orders that differ by exchanging
calls that commute.

Cost: a call of the model for each state in which a call can be made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mazurka.commute.effects import effect_of
from mazurka.explore.thread_models.values import FIRST
from mazurka.trace.logged_calls import LoggedCall

#: The result of a call that the model does not define.
UNKNOWN: Final = -1

#: A result and a state, as numbers.
Outcome = tuple[int, int]


class AbstractStates:
    """Numbers for the states of objects, by place; the initial state of an object is FIRST."""

    def __init__(self, number_of: Callable[[Any], int]) -> None:
        self._number_of = number_of
        self._first: dict[int, str] = {}  # by place
        self._texts: dict[int, str] = {}  # of states and results, by number
        self._calls: dict[tuple[int, str, str, str], ObjectCall] = {}

    def begin(self, place: int, text: str) -> bool:
        """Note an object's initial state; false if it had another one in another run."""
        return self._first.setdefault(place, text) == text

    def state(self, place: int, text: str) -> int:
        """The number of a state."""
        return FIRST if self._first.get(place) == text else self._numbered(("state", text))

    def result(self, text: str) -> int:
        """The number of a result."""
        return self._numbered(("result", text))

    def text(self, place: int, number: int) -> str | None:
        """The text of the state that a number stands for."""
        return self._first.get(place) if number == FIRST else self._texts.get(number)

    def call(self, place: int, logged: LoggedCall) -> ObjectCall:
        """The call of a place's object: one for all calls with this method and these arguments."""
        key = (place, logged.type_name, logged.method, logged.arguments)
        found = self._calls.get(key)
        if found is None:
            found = self._calls[key] = ObjectCall(self, *key)
        return found

    def _numbered(self, key: tuple[str, str]) -> int:
        number = self._number_of(key)
        self._texts[number] = key[1]
        return number


class ObjectCall:
    """A method called with certain arguments, as a function of the state of the object at a place."""

    __slots__ = ("_known", "_states", "arguments", "method", "place", "type_name")

    def __init__(self, states: AbstractStates, place: int, type_name: str, method: str, arguments: str) -> None:
        self._states = states
        self._known: dict[int, Outcome] = {}
        self.place, self.type_name, self.method, self.arguments = place, type_name, method, arguments

    def outcome(self, held: int) -> Outcome:
        """The effect of the call if its place holds the state of this number."""
        known = self._known.get(held)
        if known is None:
            known = self._known[held] = self._computed(held)
        return known

    def _computed(self, held: int) -> Outcome:
        before = self._states.text(self.place, held)
        effect = None if before is None else effect_of(self.type_name, self.method, self.arguments, before)
        if effect is None:
            return UNKNOWN, held
        return self._states.result(effect.result), self._states.state(self.place, effect.after)
