"""Factories of libraries in C: the calls that a call of one makes, according to the table of harmless operations."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from mazurka.program.python.semantics import harmless

NAME = "dependency_injector.providers"


class Factory:
    """Has the attributes of the library's factories that are looked at; the benchmark of libraries checks the real
    ones."""

    __module__ = NAME

    def __init__(self, *args: Any, overridden: tuple[Any, ...] = (), attributes: Any = None, **kwargs: Any) -> None:
        self.provides, self.args, self.kwargs = dict, args, kwargs
        self.overridden, self.attributes = overridden, attributes or {}


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType(NAME)
    module.Factory = Factory  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, NAME, module)


def test_it_calls_what_it_makes_with_its_own_arguments_first() -> None:
    assert harmless.made_by(Factory(1, a=2), (3,)) == (dict, (1,), {"a": 2})


@pytest.mark.parametrize(
    "does_more",
    [Factory(overridden=(Factory(),)), Factory(attributes={"a": 1}), Factory(Factory()), Factory(a=Factory())],
    ids=["another one stands in", "attributes", "an argument is made", "a named argument is made"],
)
def test_one_that_does_more_is_not_known(does_more: Factory) -> None:
    assert harmless.made_by(does_more, ()) is None


def test_arguments_given_may_be_made_too() -> None:
    assert harmless.made_by(Factory(), (Factory(),)) is None


def test_other_objects_and_derived_classes_are_none() -> None:
    assert harmless.made_by(object(), ()) is None
    assert harmless.made_by(type("Own", (Factory,), {})(), ()) is None
