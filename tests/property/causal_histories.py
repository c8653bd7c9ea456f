"""Random histories with a query each, and the check of an answer that shares nothing with the solvers."""

from __future__ import annotations

import random
from typing import Any

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent, Question
from mazurka.program.protocol import Access
from mazurka.trace.event import Op


def random_query(rng: random.Random, longest: int, threads: int) -> tuple[History, Question]:
    """All of a run of up to ``longest`` steps on two targets and on one of each thread's own, and one step more that
    reads and perhaps writes."""
    log: list[Any] = []
    for _ in range(rng.randrange(2, longest)):
        thread, kind = rng.randrange(threads), rng.random()
        own, shared = Access(Op.RMW, ("own", thread)), Access(_any_operation(rng), ("v", rng.randrange(2)))
        first, more = (own, ()) if kind < 0.3 else (shared, (own,) if kind < 0.6 else ())
        log.append((thread, first.op, first.target, 0, True, None, more))
    target = ("v", rng.randrange(2))
    history = History([str(t) for t in range(threads)], log)
    source = rng.choice([INITIAL, *history.writers.get(target, ())])
    extra = HypotheticalEvent(rng.randrange(threads), ((target, source),), (target,) if rng.random() < 0.5 else ())
    return history, Question(tuple(range(len(log))), hypothetical=(extra,))


def _any_operation(rng: random.Random) -> Op:
    return rng.choice((Op.READ, Op.WRITE, Op.RMW))


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
