"""The search for failures that depend on timing: the further orders in which enabled threads are held up for a while.

In a strategy's search sleeps end at any time, and timeouts fire only if no thread is enabled. Other orders are searched
afterwards, in runs whose plans have a timing (:class:`~mazurka.program.protocol.Plan`): a sleep or wait may outrun
enabled threads by so many seconds, so that short timeouts fire early and long ones do not. Whether a thread can move
then depends on all others' clocks. `dpor` treats that as conflicts of steps (``in_time`` in explore/dpor.py); if it is
in doubt, `icb` executes every order, those with the fewest preemptions first. All orders without timing that respect
the clocks are among these: if this search ends, it proves a program that the other one could not.

If no timeout is that short, and no thread sleeps, none fires before all threads have stopped. Then `dpor` may end in
runs without timing, in which each timeout comes after all earlier steps of others (``ordered`` in explore/dpor.py):
that has far fewer orders, and goes first.

If the first search has proved the program, this one gets a few seconds only; the report says which orders were not
covered.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation, Waits
from mazurka.explore.registry import STRATEGIES
from mazurka.program.protocol import TIMEOUTS
from mazurka.properties.reached import all_joined

#: The strategies of the second search: each is used if those before are in doubt.
TIMED: Final = tuple([row.name for row in STRATEGIES.values() if row.timed])

#: The least seconds of the second search; otherwise it takes as long as the search before.
_AT_LEAST: Final = 2.0

#: If the first search is in doubt about timeouts, it gets one of so many parts of the time.
_IN_DOUBT: Final = 8

#: The strategy that can order timeouts, which fire only when no thread can move.
ORDERED: Final = "dpor"

#: The most by which the clocks of threads that have not slept differ, in seconds.
_GRAIN: Final = 1e-3


def is_wanted(outcome: Outcome, timing: float, all_failures: bool = False) -> bool:
    """Whether a program may have orders that only a timing allows, or that only such a search can prove."""
    waits = outcome.waits
    if (isinstance(outcome.verdict, Violation) and not all_failures) or not outcome.exhaustive:
        return False
    if waits.expired and not STRATEGIES[outcome.strategy].every_order:
        return True
    if isinstance(outcome.verdict, Inconclusive) and (waits.slept or waits.late or not math.isinf(waits.shortest)):
        return True
    return timing > 0 and waits.shortest <= waits.slept + timing + _GRAIN


def seconds_for(outcome: Outcome, left: float | None) -> float | None:
    """The seconds of the second search, where ``left`` is the rest of the time limit."""
    if isinstance(outcome.verdict, Inconclusive) and not (outcome.untracked or _besides(outcome)):
        return left
    most = max(_AT_LEAST, outcome.seconds)
    return most if left is None else min(most, left)


def is_half_spent(waits: Waits, seconds: float, limit: float | None, in_doubt: bool) -> bool:
    """Whether the first search is to leave the second half of its time to the ones after it; more, if it is in doubt
    about timeouts that fired.

    The search with timing has fewer orders: threads that sleep repeatedly can't do so while others have yet to move.
    """
    part = _IN_DOUBT if in_doubt else 2
    return limit is not None and seconds > limit / part and bool(waits.slept or not math.isinf(waits.shortest))


def none_fires_early(waits: Waits, timing: float) -> bool:
    """Whether no timeout could fire while some thread can move: none is so short, and none ends so soon after another
    one has fired. (The first order in which one did would, up to there, be one of the executed orders.)"""
    return not waits.slept and min(waits.shortest, waits.nearest) > timing + _GRAIN


def ordered(before: Outcome, after: Outcome, timing: float) -> Outcome | None:
    """The joint result of a strategy's search, and of the one after it in which timeouts are ordered; None if the
    latter has decided nothing."""
    if isinstance(before.verdict, Violation) or not isinstance(after.verdict, (Verified, Violation)):
        return None
    both = merged(replace(before, uncontrolled=_besides(before)), after)
    if isinstance(after.verdict, Violation):
        return replace(both, verdict=after.verdict, complete=after.complete)
    if both.untracked or both.uncontrolled or not none_fires_early(before.waits + after.waits, timing):
        return None
    verdict = before.verdict if isinstance(before.verdict, Verified) else after.verdict
    return _assuming(replace(both, verdict=verdict, complete=True), timing)


def _besides(outcome: Outcome) -> dict[str, int]:
    """Uncontrolled operations, apart from timeouts."""
    return {name: count for name, count in outcome.uncontrolled.items() if name != TIMEOUTS}


def merged(before: Outcome, after: Outcome) -> Outcome:
    """The result of a search, with the statistics of another one after it."""
    known = {each.failure.identity for each in before.found}
    return replace(
        before,
        executions=before.executions + after.executions,
        seconds=before.seconds + after.seconds,
        threads=max(before.threads, after.threads),
        points=max(before.points, after.points),
        untracked={**after.untracked, **before.untracked},
        uncontrolled={**after.uncontrolled, **before.uncontrolled},
        assumed=tuple(sorted({*after.assumed, *before.assumed})),
        conditions=tuple(dict.fromkeys((*before.conditions, *after.conditions))),
        asked=before.asked or after.asked,
        reached=all_joined(before.reached, after.reached),
        found=(*before.found, *[each for each in after.found if each.failure.identity not in known]),
    )


def joined(before: Outcome, after: Outcome | None, timing: float) -> Outcome:
    """The joint result of a strategy's search, and of the one with timing after it."""
    if after is None:
        return _assuming(before, timing)
    uncontrolled = _besides(before)
    both = merged(replace(before, uncontrolled=uncontrolled), after)
    if isinstance(before.verdict, Violation) or isinstance(after.verdict, Violation):
        first = before.verdict if isinstance(before.verdict, Violation) else after.verdict
        return replace(both, verdict=first, complete=after.complete)
    if isinstance(after.verdict, Verified):
        if both.untracked or both.uncontrolled:
            return both
        verdict = before.verdict if isinstance(before.verdict, Verified) else after.verdict
        return _held_up_for(replace(both, verdict=verdict, complete=True), after.waits, timing)
    covered = "".join(f", {note}" for note in (*after.notes, *_bound(after)))
    note = f"orders in which timeouts fire early were not all covered ({after.executions:,} executions{covered})"
    both = replace(both, notes=(*before.notes, note), uncontrolled={**after.uncontrolled, **before.uncontrolled})
    return _assuming(both, 0.0)


def _bound(outcome: Outcome) -> list[str]:
    """The bound up to which a search has covered all orders, in words."""
    bounded = outcome.coverage.bounded
    if bounded is None or bounded.preemptions < 0:
        return []
    return [f"every order with up to {bounded.preemptions} preemption{'s' * (bounded.preemptions != 1)} was covered"]


def _held_up_for(outcome: Outcome, withheld: Waits, timing: float) -> Outcome:
    """The result if all orders were covered in which threads are held up that long."""
    if not withheld.withheld:
        return replace(outcome, timely=False)
    kind = "sleep" if math.isinf(withheld.shortest) else "timeout or sleep" if withheld.slept else "timeout"
    waits = outcome.waits
    notes = outcome.notes
    if waits.late:
        notes = (*notes, f"held up for {waits.lag:.3g} s, it fails: {waits.late} (look with --timing {waits.lag:.3g})")
    return replace(outcome, early=_none_early(kind, timing), notes=notes)


def _assuming(outcome: Outcome, timing: float) -> Outcome:
    """The result if no order was covered in which a timeout fires early, or with this timing none could be."""
    if not isinstance(outcome.verdict, Verified) or math.isinf(outcome.waits.shortest):
        return outcome
    return replace(outcome, early=_none_early("timeout", timing))


def _none_early(kind: str, timing: float) -> str:
    long = f" of more than {timing:g} s" if timing else ""
    ends = {"timeout": "fires", "sleep": "ends"}.get(kind, "ends")
    return f"no {kind}{long} {ends} while other threads can run"
