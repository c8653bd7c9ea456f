"""What a search that did not end has covered, with places in the source.

Invariant: a bound of preemptions is only stated of executions all of whose operations were tracked and controlled, and
of a program without unknown inputs, whose other values were not searched up to this bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mazurka.explore.coverage import Cause, Pairs, Sampled
from mazurka.explore.outcome import Outcome
from mazurka.report.coverage import CauseOfOrders, CoverageReport, PairCounts, SampledCounts
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind, kind_of_tag

#: Pairs in one order that a report names, and causes.
_NAMED: Final = 10
_CAUSES: Final = 3

#: Gives the place of an instrumentation point ("": it has none).
Place = Callable[[SiteNumber], str]


def coverage_of(outcome: Outcome, place: Place) -> CoverageReport | None:
    """The coverage of a search; None if there is nothing to say beside its verdict."""
    found = outcome.coverage
    sound = not (outcome.untracked or outcome.uncontrolled or outcome.asked)
    bounded = found.bounded if found.bounded is not None and found.bounded.preemptions >= 0 and sound else None
    sampled = found.sampled
    if bounded is None and sampled is None:
        return None
    return CoverageReport(
        None if bounded is None else bounded.preemptions,
        0 if bounded is None else bounded.executions,
        found.assuming if bounded is not None else "",
        _counts(found.conflicts, place),
        _counts(found.sections, place),
        None if sampled is None else _sampled(sampled),
        _causes(found.causes, place),
    )


def _sampled(sampled: Sampled) -> SampledCounts:
    return SampledCounts(sampled.executions, sampled.probability, sampled.threads, sampled.points)


def _counts(pairs: Pairs | None, place: Place) -> PairCounts | None:
    if pairs is None:
        return None
    named = dict.fromkeys((place(first), place(second)) for first, second in pairs.in_one_order)
    return PairCounts(pairs.shown, pairs.in_both_orders, tuple(named)[:_NAMED])


def _causes(causes: tuple[Cause, ...], place: Place) -> tuple[CauseOfOrders, ...]:
    """The causes by place: several kinds of targets may be touched at one."""
    shares: dict[tuple[str, str], float] = {}
    for cause in causes:
        if where := place(cause.site):
            at = _action(cause), where
            shares[at] = shares.get(at, 0.0) + cause.share
    largest = sorted(shares.items(), key=lambda each: -each[1])[:_CAUSES]
    return tuple([CauseOfOrders(*at, share) for at, share in largest])


#: The words for kinds of targets that are no data; other operations on them have the words of their kind.
_ACTIONS: Final = {
    **dict.fromkeys((Kind.QUEUE, Kind.QUEUED, Kind.QUEUE_END, Kind.UNFINISHED), "uses the queue"),
    Kind.CLOCK: "looks at the clock",
    Kind.THREAD: "starts or ends",
    Kind.CONDITION: "uses the condition",
    Kind.EVENT: "uses the event",
    Kind.SEMAPHORE: "uses the semaphore",
    **dict.fromkeys((Kind.BARRIER, Kind.ROUND, Kind.ARRIVAL), "uses the barrier"),
}


def _action(cause: Cause) -> str:
    """What threads do that change places, in words."""
    kind = kind_of_tag(cause.kind) or Kind.VARIABLE
    if cause.op is Op.ACQUIRE:
        return "takes the lock"
    return _ACTIONS.get(kind) or ("reads the data" if cause.op is Op.READ else "changes the data")
