"""The outcomes of explored tests, kept until the summary is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mazurka.errors import MazurkaError
    from mazurka.report.check_report import CheckReport

#: The name of the property of a report that holds a test's outcome, from xdist's workers as well.
PROPERTY: Final = "mazurka"

#: The name of the property of a report that holds the test whose outcome a repetition has got.
REPEATS: Final = "mazurka-repeats"

#: The outcome of a test that was left to pytest.
NO_THREADS: Final = "no threads"

#: The result of `--mazurka-replay`: the exit status of `mazurka replay`, or the error why there is none.
replayed: int | MazurkaError | None = None

#: The report of `--mazurka-replay`, and whether it is to say which steps can change places.
report: CheckReport | None = None
orders: bool = False

#: The reports of the explored tests, for `--mazurka-output`.
reports: list[CheckReport] = []

#: Called with the report of each explored test, unless it is None.
receiver: Callable[[CheckReport], None] | None = None


def outcomes_of(report: Any) -> list[tuple[str, str]]:
    """The verdict and its reason that a report of a test's call carries, if the test was explored."""
    if getattr(report, "when", "") != "call":
        return []
    found = [value for name, value in getattr(report, "user_properties", ()) if name == PROPERTY]
    return [(verdict, reason) for verdict, _, reason in (str(value).partition(": ") for value in found)]


def is_repetition(report: Any) -> bool:
    """Whether a report of a test's call has the outcome of another repetition of the test."""
    return getattr(report, "when", "") == "call" and any(
        name == REPEATS for name, _ in getattr(report, "user_properties", ())
    )
