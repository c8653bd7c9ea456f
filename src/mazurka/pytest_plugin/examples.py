"""Tests of Hypothesis: the first few examples of a test are explored one by one, each as a test without Hypothesis.

Within an execution, Hypothesis would run a hundred examples, and go on with simpler ones after the first failure; but
whether these fail depends on the order of the threads, so that it would call the test flaky. Examples are the same in
each process, since a schedule names that of its failure by its number. What a test draws while it runs
(`strategies.data()`) depends on that number alone: all are the simplest values in the first example, and random ones in
the others.

This reaches into Hypothesis' attributes of tests: `hypothesis.inner_test`, which is public, and the settings.
"""

from __future__ import annotations

import copy
import functools
import random
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

#: How many examples of a test are explored; the first is the simplest one.
MOST: Final = 5

_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Example:
    """A call of a test's own function: the arguments that Hypothesis has drawn, by name."""

    number: int
    function: Callable[..., Any]
    is_method: bool
    drawn: dict[str, Any]

    @property
    def label(self) -> str:
        """The example in words, with its number."""
        values = ", ".join(f"{name}={value!r}" for name, value in self.drawn.items())
        return f"example {self.number}: {values if len(values) <= _LONGEST else values[: _LONGEST - 3] + '...'}"

    def of(self, item: Any) -> Callable[..., None]:
        """The function to call with the fixtures in place of the test, in one execution."""
        owner = (item.instance,) if self.is_method else ()
        drawn = copy.deepcopy(self.drawn)
        return functools.partial(_call, self.function, owner, drawn, self.number)


@dataclass(frozen=True, slots=True)
class _Later:
    """Stands in an example for the object by which a test draws values while it runs, which is of this class."""

    kind: Any

    def __repr__(self) -> str:
        return "data(...)"


def examples_of(item: pytest.Item) -> list[Example]:
    """The first examples of a test that is set up; none if it is no test of Hypothesis."""
    test: Any = getattr(item, "obj", None)
    if type(item) is not pytest.Function or not getattr(test, "is_hypothesis_test", False):
        return []
    hypothesis: Any = sys.modules["hypothesis"]
    function, handle, found = getattr(test, "__func__", test), test.hypothesis, list[Example]()
    fixtures: dict[str, Any] = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    real, settings = handle.inner_test, function._hypothesis_internal_use_settings

    @functools.wraps(real)
    def noted(*args: Any, **drawn: Any) -> None:
        own = {
            name: _Later(type(value)) if type(value).__name__ == "DataObject" else value
            for name, value in drawn.items()
            if name not in fixtures
        }
        found.append(Example(len(found) + 1, real, bool(args), own))
        if len(found) == MOST:
            raise _Enough

    function._hypothesis_internal_use_settings = hypothesis.settings(
        settings,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    handle.inner_test = noted
    try:
        test(**fixtures)
    except _Enough:
        pass
    finally:
        handle.inner_test, function._hypothesis_internal_use_settings = real, settings
    if found and any(type(value) is _Later for value in found[-1].drawn.values()):
        # For Hypothesis examples that differ only in what is drawn later are the same.
        found += [replace(found[-1], number=number) for number in range(len(found) + 1, MOST + 1)]
    return found


def numbered(item: pytest.Item, arguments: tuple[str, ...]) -> Example | None:
    """The example that the arguments of a schedule name."""
    named = re.match(r"example (\d+):", arguments[0]) if arguments else None
    found = examples_of(item) if named is not None else []
    return found[int(named[1]) - 1] if named is not None and int(named[1]) <= len(found) else None


class _Enough(BaseException):
    """No further examples are needed: Hypothesis takes other exceptions for failures of the test."""


def _call(
    function: Callable[..., Any], owner: tuple[Any, ...], drawn: dict[str, Any], number: int, **fixtures: Any
) -> None:
    control, errors = sys.modules["hypothesis.control"], sys.modules["hypothesis.errors"]
    choosing: Any = sys.modules["hypothesis.internal.conjecture.data"]
    if any(type(value) is _Later for value in drawn.values()):
        first = (sys.modules["hypothesis.internal.conjecture.choice"].ChoiceTemplate("simplest", count=None),)
        data = choosing.ConjectureData(prefix=first if number == 1 else (), random=random.Random(number))
        drawn = {name: value.kind(data) if type(value) is _Later else value for name, value in drawn.items()}
    else:
        data = choosing.ConjectureData.for_choices([])
    try:
        with control.BuildContext(data, wrapped_test=function):
            function(*owner, **drawn, **fixtures)
    except (errors.UnsatisfiedAssumption, errors.StopTest):
        return
