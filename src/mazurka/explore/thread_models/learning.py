"""Learning thread automata from runs: the trees of :mod:`.automata`, extended by each run, or made again of all.

Invariant: unless :meth:`.ThreadAutomata.is_behind`, the trees hold all ``records``, but for runs that were only
noted. Cost: that of following each run once or twice (run_learner.py).
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
    """Add the steps of a run; if all local states have to be made again for that, leave it to :func:`relearn`.

    ``idle`` is the number of the point at which, by the automata, no thread could move; ``refused`` the thread
    that was to move at the end of the run, and could not.
    """
    record = Record(CompressedRun.of(run), idle, refused)
    automata.records.append(record)
    if automata.is_behind():
        automata.unread.append(record)
    else:
        _read(automata, record, run)


def follow(automata: ThreadAutomata, record: Record) -> bool:
    """Go through a run that was only noted; true if that made all moments new."""
    RunLearner(automata, record.packed.run(), record).walk()
    stale = automata.stale
    relearn(automata)
    return stale


def relearn(automata: ThreadAutomata, seconds: float = inf) -> bool:
    """Make the trees of all runs, for so long at most; whether that has been done."""
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
