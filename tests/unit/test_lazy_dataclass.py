"""Data classes whose methods are compiled later behave as CPython's."""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from mazurka import lazy_dataclass

OPTIONS = [
    {"frozen": frozen, "slots": slots, **eq}
    for frozen in (False, True)
    for slots in (False, True)
    for eq in ({}, {"eq": False})
]


def _classes(decorator: Any, options: dict[str, Any]) -> tuple[Any, Any, Any]:
    @decorator(**options)
    class Point:
        x: int
        y: int = 2
        seen: list[int] = field(default_factory=list, compare=False)
        label: str = field(default="p", kw_only=True, repr=False)
        fixed: int = field(default=7, init=False, hash=False)
        made: dict[str, int] = field(default_factory=dict, init=False, compare=False)

    @decorator(**options)
    class Named(Point):
        name: str = "n"

        def __post_init__(self) -> None:
            self.made[self.name] = self.x

    @decorator(**options)
    class Own:  # noqa: PLW1641  # that is tried
        """It has methods of its own."""

        x: int = 0

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "own"

    for each in (Point, Named, Own):
        each.__qualname__ = each.__name__
    return Point, Named, Own


def _outcome(action: Any) -> Any:
    try:
        return action()
    except Exception as error:  # the error is the outcome
        message = str(error).replace("_classes.<locals>.", "")
        return type(error), message


_ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((1, 3), {"label": "q"}),
    ((1,), {"seen": [5]}),
    ((1,), {"fixed": 3}),
    ((1, 2, [], "q"), {}),
    ((), {"x": 1}),
    ((1,), {"x": 1}),
]

#: Each gets a function that makes an object.
_ACTIONS: list[Callable[[Callable[[], Any]], Any]] = [
    lambda make: repr(make()).partition(" object at")[0],
    lambda make: make() == make(),
    lambda make: make() == object(),
    lambda make: make().__eq__(object()),
    lambda make: type(make()).__hash__ is object.__hash__ or hash(make()),
    lambda make: dataclasses.astuple(make()),
    lambda make: dataclasses.replace(make(), x=4) == dataclasses.replace(make(), x=4),
    lambda make: setattr(make(), "x", 5),
    lambda make: delattr(make(), "x"),
    lambda make: copy.copy(make()).x,
]


def _outcomes(decorator: Any, options: dict[str, Any]) -> list[Any]:
    results: list[Any] = []
    for kind in _classes(decorator, options):
        for (arguments, named), action in itertools.product(_ARGUMENTS, _ACTIONS):
            make = functools.partial(kind, *arguments, **named)
            results.append(_outcome(functools.partial(action, make)))
        results.append((kind.__match_args__, kind.__hash__ is None, [each.name for each in dataclasses.fields(kind)]))
    return results


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_methods_behave_as_those_of_the_library(options: dict[str, Any]) -> None:
    assert _outcomes(lazy_dataclass.dataclass, options) == _outcomes(dataclasses.dataclass, options)


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Value:
    """A value that can be pickled."""

    one: int
    more: tuple[Any, ...] = ()


def test_frozen_values_can_be_pickled_and_copied_before_any_method_was_called() -> None:
    made = Value(1, (2,))
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert again == made
        assert hash(again) == hash(made)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'one'"):
        made.one = 3  # type: ignore[misc]  # that is the error


def test_a_method_is_compiled_at_its_first_call_only() -> None:
    @lazy_dataclass.dataclass(slots=True)
    class Pair:
        """Two numbers."""

        one: int
        two: int

    before = Pair.__eq__
    assert Pair(1, 2) == Pair(1, 2)
    after = Pair.__eq__
    assert before is not after
    assert before(Pair(1, 2), Pair(1, 2))
    assert Pair.__eq__ is after


def test_a_value_that_leads_to_itself_can_be_described() -> None:
    held: list[Any] = []
    made = Value(1, (held,))
    held.append(made)
    assert repr(made) == "Value(one=1, more=([...],))"


def test_other_options_are_those_of_the_library() -> None:
    @lazy_dataclass.dataclass(frozen=True, slots=True, order=True)
    class Rank:
        """A number."""

        number: int

    assert Rank(1) < Rank(2)
