"""Learning thread automata from runs: each run extends the trees of :mod:`.automata`, or they are made again of all
runs.

Invariant: unless :meth:`.ThreadAutomata.is_behind`, the trees hold all ``records``.
Cost: that of following each run once or twice (run_learner.py).
"""

from __future__ import annotations

from collections import deque

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


def relearn(automata: ThreadAutomata) -> int:
    """Go on to make the trees of all runs: of one more run, whose number of steps is returned."""
    if automata.stale:
        automata.clear()
        automata.unread = deque(automata.records)
    if not automata.unread:
        return 0
    record = automata.unread.popleft()
    run = record.packed.run()
    _read(automata, record, run)
    return len(run.log)


def _read(automata: ThreadAutomata, record: Record, run: Run) -> None:
    if not record.scouted:
        ObjectMatcher(automata, run, record).match()
        record.scouted = True
    RunLearner(automata, run, record).walk()
