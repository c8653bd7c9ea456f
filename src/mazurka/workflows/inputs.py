"""The joint result of searches with different values of unknown inputs (symbolic/input_classes.py says which)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.workflows.timing import merged

#: The end of a verdict's scope where inputs are known, and where all were searched.
_ON_THIS: Final = "on this input"
_ON_ALL: Final = "on all values of its unknown inputs"


def with_more_inputs(before: Outcome, after: Outcome) -> Outcome:
    """The joint result of searches with some inputs, and of one with other inputs after them."""
    verdict = before.verdict
    if isinstance(verdict, Verified) or isinstance(after.verdict, Violation) and not isinstance(verdict, Violation):
        verdict = after.verdict
    both = merged(before, after)
    return replace(
        both,
        verdict=verdict,
        complete=before.complete and after.complete,
        waits=before.waits + after.waits,
        early=before.early or after.early,
        timely=before.timely and after.timely,
        assuming=before.assuming or after.assuming,
        restarts=before.restarts + after.restarts,
    )


def covering_all(outcome: Outcome, classes: int, name: str = "class", plural: str = "classes") -> Outcome:
    """The result where these classes of inputs (or paths) are all that there are."""
    verdict = outcome.verdict
    if isinstance(verdict, Verified):
        count = f"{classes:,} {name if classes == 1 else plural}"
        verdict = Verified(f"{verdict.scope.removesuffix(_ON_THIS)}{_ON_ALL} ({count})")
    return replace(outcome, verdict=verdict, inputs=classes)


def undecided(outcome: Outcome, reason: str, classes: int) -> Outcome:
    """The result where other inputs could not be searched."""
    verdict = outcome.verdict if isinstance(outcome.verdict, Violation) else Inconclusive(reason)
    return replace(outcome, verdict=verdict, complete=False, inputs=classes)
