"""Learning thread automata from runs: each run extends the trees of :mod:`.automata`, or they are made again of all
runs.

Invariant: unless :meth:`.ThreadAutomata.is_behind`, the trees hold all ``records``.
Cost: that of following each run once or twice (run_learner.py).
"""

from __future__ import annotations

from collections import deque
from math import inf
from time import perf_counter

from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.compressed_runs import CompressedRun, Record
from mazurka.explore.thread_models.object_matcher import ObjectMatcher
from mazurka.explore.thread_models.run_learner import RunLearner
from mazurka.program.protocol import Run


def take_in(automata: ThreadAutomata, run: Run, idle: int = -1, refused: str = "") -> None:
    """Add the steps of a run; if that makes all local states void, :func:`relearn` has to make them again.

    ``idle`` is the number of the point at which, by the automata, no thread could move; ``refused`` is the thread that
    could not move at the end of the run, although the seed wanted it to.
    """
    record = Record(CompressedRun.of(run), idle, refused)
    automata.records.append(record)
    if automata.is_behind():
        automata.unread.append(record)
    else:
        _read(automata, record, run)


def relearn(automata: ThreadAutomata, seconds: float = inf) -> bool:
    """Make the trees of all runs, for ``seconds`` at most; returns whether that is done."""
    end = perf_counter() + seconds
    while automata.is_behind() and perf_counter() < end:
        if automata.stale:
            automata.clear()
            automata.unread = deque(automata.records)
        if automata.unread:
            record = automata.unread.popleft()
            _read(automata, record, record.packed.run())
    return not automata.is_behind()


def _read(automata: ThreadAutomata, record: Record, run: Run) -> None:
    if not record.scouted:
        ObjectMatcher(automata, run, record).match()
        record.scouted = True
    RunLearner(automata, run, record).walk()
