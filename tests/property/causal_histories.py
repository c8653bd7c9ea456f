"""Random histories with a query each, and the check of an answer that shares nothing with the solvers."""

from __future__ import annotations

import random
from typing import Any

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent, Question
from mazurka.trace.event import Op


def random_query(rng: random.Random, longest: int, threads: int) -> tuple[History, Question]:
    """All of a run of up to ``longest`` steps on two targets, and one step more that reads and perhaps writes."""
    log = [
        (rng.randrange(threads), rng.choice((Op.READ, Op.WRITE, Op.RMW)), ("v", rng.randrange(2)), 0, True, None, ())
        for _ in range(rng.randrange(2, longest))
    ]
    target = ("v", rng.randrange(2))
    writers = [i for i, entry in enumerate(log) if entry[2] == target and entry[1] is not Op.READ]
    source = rng.choice([INITIAL, *writers])
    extra = HypotheticalEvent(rng.randrange(threads), ((target, source),), (target,) if rng.random() < 0.5 else ())
    history = History([str(t) for t in range(threads)], log)
    return history, Question(tuple(range(len(log))), hypothetical=(extra,))


def check_order(history: History, query: Question, order: tuple[int, ...]) -> None:
    """Replay the order and look at every read."""
    base = len(history.numbers)
    past, extras = history.prefixes(query.happen), query.hypothetical
    wanted = {step for t, count in enumerate(past) for step in history.threads[t][:count]}
    assert set(order) == wanted | set(range(base, base + len(extras)))
    assert len(order) == len(set(order))
    at = [0] * len(history.threads)
    last: dict[Any, int] = {}
    for step in order:
        extra = extras[step - base] if step >= base else None
        thread = history.numbers[step] if extra is None else extra.thread
        if extra is None:
            assert history.threads[thread][at[thread]] == step
        else:
            assert at[thread] >= past[thread]
        at[thread] += 1
        reads, writes = (history.reads[step], history.writes[step]) if extra is None else (extra.reads, extra.writes)
        for target, source in reads:
            assert last.get(target, INITIAL) == source
        for target in writes:
            last[target] = step
