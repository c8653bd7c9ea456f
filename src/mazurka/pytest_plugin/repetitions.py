"""Repetitions of one test, as pytest-repeat makes them (``@pytest.mark.repeat(100)``, ``--count 100``).

A test is repeated since another order of its threads may fail. All orders are explored at the first repetition, after
which the state is put back. So a repetition that follows at once starts in the same state, and gets the same verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pytest

    from mazurka.report.check_report import CheckReport

#: The parameter that pytest-repeat gives a test: the number of the repetition, which the fixture of that name returns.
_STEP: Final = "__pytest_repeat_step_number"


@dataclass(frozen=True, slots=True)
class Explored:
    """The outcome of the test that was explored last: which test it is but for the repetition."""

    test: tuple[Any, ...]
    name: str
    report: CheckReport


def test_repeated_by(item: pytest.Item) -> tuple[Any, ...] | None:
    """The test that an item repeats: equal for repetitions of one test with the same objects for parameters; None for
    others."""
    params = getattr(getattr(item, "callspec", None), "params", None)
    if not isinstance(params, dict) or _STEP not in params or item.parent is None:
        return None
    others = tuple(sorted((name, id(value)) for name, value in params.items() if name != _STEP))
    return item.parent.nodeid, getattr(item, "originalname", None), others
