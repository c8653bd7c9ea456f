"""Cheap answers to most explorers' questions: refuted by vector clocks, or answered by the run's own order.

Our two solvers try this first. An exploration changes little at a time, so about nine questions in ten need no more;
cost: a few microseconds each. Both answers are sound; None means that the question needs a search.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent
from mazurka.causal.solver import Feasible, Infeasible

_Extras = Sequence[HypotheticalEvent]


def answer_fast(history: History, past: Sequence[int], extras: _Extras) -> Feasible | Infeasible | None:
    """Whether the first ``past[t]`` steps of each thread t and then ``extras`` can happen; None if that needs a
    search."""
    if _refuted(history, past, extras):
        return Infeasible()
    order = _own_order(history, past, extras)
    return None if order is None else Feasible(order)


def _refuted(history: History, past: Sequence[int], extras: _Extras) -> bool:
    """Whether some write must come between an extra step and a source of its reads: causally after the source and
    before the step, or since it overwrites the source at once, as the step does."""
    count = len(history.numbers)
    for extra in extras:
        position = past[extra.thread]
        latest = history.threads[extra.thread][position - 1] if position else -1
        for target, source in extra.reads:
            if source >= count:
                continue
            if target in extra.writes and _is_overwritten(history, past, target, source):
                return True
            if latest < 0:
                continue
            for writer in history.writers.get(target, ()):
                if (
                    writer != source
                    and history.needs(latest, writer)
                    and (source == INITIAL or history.needs(writer, source))
                ):
                    return True
    return False


def _is_overwritten(history: History, past: Sequence[int], target: Any, source: int) -> bool:
    """Whether a step among the first ``past[t]`` of each thread t reads the target from the source, and writes it."""
    numbers, positions, overwrites = history.numbers, history.positions, history.overwrites
    readers = history.looks.get(target, ()) if source == INITIAL else history.readers[source]
    return any(
        positions[step] < past[numbers[step]] and target in (own := overwrites[step]) and own[target] == source
        for step in readers
    )


def _own_order(history: History, past: Sequence[int], extras: _Extras) -> tuple[int, ...] | None:
    """The run's own order, with the extra steps together as late as their sources allow; None if that is no answer."""
    threads, count = history.threads, len(history.numbers)
    order = [step for thread, length in enumerate(past) for step in threads[thread][:length]]
    order.sort()
    place = _place(history, past, extras, order)
    if place is None:
        return None
    if place < len(order):
        written = {target for extra in extras for target in extra.writes}
        if written and any(
            target in written and source < order[place]
            for step in order[place:]
            for target, source in history.reads[step]
        ):
            return None
    return (*order[:place], *range(count, count + len(extras)), *order[place:])


def _place(history: History, past: Sequence[int], extras: _Extras, order: Sequence[int]) -> int | None:
    """The last place in ``order`` where all sources of the extra steps are still visible and their predecessors
    done."""
    numbers, positions, count = history.numbers, history.positions, len(history.numbers)
    limit, latest = count, -1
    written: dict[Any, int] = {}
    for number, extra in enumerate(extras):
        if past[extra.thread]:
            latest = max(latest, history.threads[extra.thread][past[extra.thread] - 1])
        for target, source in extra.reads:
            if target in written:
                if written[target] != source:
                    return None
                continue
            if source >= count:
                return None
            latest = max(latest, source)
            for writer in history.writers.get(target, ()):
                if writer > source and positions[writer] < past[numbers[writer]]:
                    limit = min(limit, writer)
                    break
        for target in extra.writes:
            written[target] = count + number
    return bisect_left(order, limit) if latest < limit else None
