"""The knowledge of operations that the runs of a search have shown, on which the reversals of races depend (races.py).

A step does not show whether its read may have to wait, nor whether it might access other locations. Both are learnt: a
thread that stands before a read when a run ends has waited for it; a site at which steps have had several accesses, and
one, has steps that vary. Reversals that have been taken for granted before are wrong then, so the search *begins again*
with that knowledge.

Records: ``("waits", kinds)``, ``("looks", kinds)`` and ``("sites", several, single)`` have the knowledge of a search,
``("reset", kinds, varying)`` that with which it has begun again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from mazurka.explore.races import Execution, is_waiting_read
from mazurka.explore.strategy import JournalRecord
from mazurka.program.protocol import Run
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import kind_of

#: Makes the execution of a run, with the kinds that are waited for, and the sites that vary.
_Executed = Callable[[set[str], set[SiteNumber]], Execution]


class MetOperations:
    """The knowledge of one search. ``waited_for`` are kinds of targets whose reads may have to wait, ``varying`` sites
    at which steps have several accesses, though not always."""

    def __init__(self) -> None:
        self.waited_for: set[str] = set()
        self.varying: set[SiteNumber] = set()
        self._foreseen_several: set[SiteNumber] = set()  # as `several` and `single`, of runs that it was only shown
        self._foreseen_single: set[SiteNumber] = set()
        self.clear()

    def clear(self) -> None:
        """The search begins again: forget its runs, and keep the knowledge of all."""
        self.looked_at: set[str] = set()  # kinds of targets that runs have read
        self.several: set[SiteNumber] = set()  # sites at which steps of runs have several accesses
        self.single: set[SiteNumber] = set()  # and sites at which they have one, a read

    def take_over(self, earlier: MetOperations) -> bool:
        """Keep the knowledge of an earlier search with fewer points; returns whether that is any."""
        self.waited_for = set(earlier.waited_for)
        self.varying = set(earlier.varying)
        return bool(self.waited_for or self.varying)

    # -- learning -----------------------------------------------------------------------------------------------------

    def foresee(self, run: Run, executed: _Executed) -> bool:
        """Learn from a run before the search; returns whether that would have made it begin again."""
        waited_for, varying = self.waited_for | _met_waiting(run, None), self.varying
        execution = executed(waited_for, varying)
        self._foreseen_several |= execution.several
        self._foreseen_single |= execution.single
        varying = varying | (self._foreseen_several & self._foreseen_single)
        if (waited_for, varying) == (self.waited_for, self.varying):
            return False
        self.waited_for, self.varying = waited_for, varying
        return True

    def learn_waits(self, run: Run, thread: str | None, journal: list[JournalRecord]) -> bool:
        """Learn which reads wait at the end of a run, or where it could not be followed by ``thread``; returns whether
        the search has to begin again."""
        waited_for = _met_waiting(run, thread) - self.waited_for
        if not waited_for:
            return False
        self.waited_for |= waited_for
        if run.divergence is not None or waited_for & self.looked_at:
            return True
        journal.append(("waits", " ".join(sorted(self.waited_for))))
        return False

    def learn_sites(self, execution: Execution, journal: list[JournalRecord]) -> bool:
        """Learn which sites have steps that vary; returns whether the search has to begin again."""
        if not (execution.several <= self.several and execution.single <= self.single):
            self.several |= execution.several
            self.single |= execution.single
            if not self.several & self.single <= self.varying:
                self.varying |= self.several & self.single
                return True
            journal.append(("sites", packed(self.several), packed(self.single)))
        if not execution.looked_at <= self.looked_at:
            self.looked_at |= execution.looked_at
            journal.append(("looks", " ".join(sorted(self.looked_at))))
        return False

    # -- records ------------------------------------------------------------------------------------------------------

    def reset_record(self) -> JournalRecord:
        """The record of a search that begins again with this knowledge."""
        return ("reset", " ".join(sorted(self.waited_for)), packed(self.varying))

    def recall(self, record: JournalRecord) -> bool:
        """Take over a record, if it is one of these; returns whether it is."""
        match record:
            case ("reset", waited_for, varying):
                self.clear()
                self.waited_for = set(waited_for.split())
                self.varying = set(map(SiteNumber, numbers_in(varying)))
            case ("sites", several, single):
                self.several = set(map(SiteNumber, numbers_in(several)))
                self.single = set(map(SiteNumber, numbers_in(single)))
            case ("waits", waited_for):
                self.waited_for = set(waited_for.split())
            case ("looks", looked_at):
                self.looked_at = set(looked_at.split())
            case _:
                return False
        return True


def _met_waiting(run: Run, thread: str | None) -> set[str]:
    """Kinds of targets that a thread waits to read: at the end, or where a seed could not be followed by ``thread``."""
    stuck = [blocked for blocked in run.blocked if is_waiting_read(blocked)]
    if run.divergence is not None:
        stuck = [blocked for blocked in stuck if run.tasks[blocked.task] == thread]
    return {kind_of(blocked.target).tag for blocked in stuck}


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers in the form that records have, ascending."""
    return array("q", sorted(numbers)).tobytes()


def numbers_in(record: bytes) -> list[int]:
    """The numbers of a record."""
    numbers: array[Any] = array("q")
    numbers.frombytes(record)
    return numbers.tolist()
