"""Data races by SeqCheck: one for each pair of accesses, for each access, or for each pair of places in the source.

The pairs come from :mod:`mazurka.predict.seqcheck.scan`, which also asks about them. Pairs that the kernels leave
undecided are handed to the complete solver, if the trace is short enough; ``undecided`` counts the accesses (or pairs)
that remain so, ``unasked`` those for which ``limit`` questions were not enough. An access that is found in a race with
an earlier one is racy, however many of its pairs are undecided.

Cost: some hundred nanoseconds an event, and a few microseconds a question.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from types import FunctionType
from typing import Final

import numpy as np

from mazurka.causal.question import Question
from mazurka.causal.solver import Feasible, Unknown
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.seqcheck.decide import YES
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.predict.seqcheck.index import ENTER, NONE, Ints
from mazurka.predict.seqcheck.scan import CROWDED, EVENT, ScanState, hash_of
from mazurka.trace.conflicts import may_race
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Races, Witness

#: The default limit of questions for an access, or for a pair of places.
LIMIT: Final = 100

#: The number of races after which the pass stops to return them.
_AT_ONCE: Final = 1 << 12

#: The number of rows that the pass processes at a time, and the number if it is interpreted: its compilation may end at
#: any moment.
_STRETCH: Final = 1 << 19
_STEP: Final = 1 << 12

#: The number of rows of witnesses for which there is room.
_POOL: Final = 1 << 20


@dataclass(slots=True)
class SeqCheckRaces:
    """See the module. ``each`` is PAIR, EVENT, PLACE or EVENT | PLACE of :mod:`mazurka.predict.seqcheck.scan`."""

    each: int = EVENT
    limit: int = LIMIT
    asked: int = 0
    refuted: int = 0
    unasked: int = 0
    undecided: int = 0

    def races(self, check: SeqCheck) -> Iterator[tuple[int, int]]:
        """The rows that race, without witnesses."""
        for found, _ in self._passed(check):
            yield from self._reported(check, found)

    def answers(self, check: SeqCheck) -> Iterator[tuple[Races, Witness | Unknown]]:
        """The races, with their witnesses, and the undecided pairs."""
        row, postponed = check.index.row, list[Races]()
        for found, pool in self._passed(check, _POOL):
            for first, second, answer, since, free, begin, end in found.tolist():
                claim = Races(StepIndex(int(check.rows[row[first]])), StepIndex(int(check.rows[row[second]])))
                if answer != YES:
                    yield claim, Unknown("undecided in the pass")
                elif begin == NONE:
                    postponed.append(claim)  # the pass is under way, and uses the only arrays of questions
                else:
                    yield claim, check.witness(claim, since, pool[begin:end], bool(free))
        for claim in postponed:
            again = check.prove(claim)
            assert isinstance(again, Witness)
            yield claim, again

    def _passed(self, check: SeqCheck, pool: int = 0) -> Iterator[tuple[Ints, Ints]]:
        """The races of the pass, and the rows that prove them, as far as there was room. The pass goes on in another
        thread meanwhile."""
        state = _start(check, self.limit, pool)
        with ThreadPoolExecutor(1) as ahead:
            going = ahead.submit(self._pass_on, check, state, 0)
            while True:
                found, rows, state, row = going.result()
                self.unasked, self.asked, self.refuted = state.count[2:5].tolist()
                if row == len(check.index.event):
                    break
                going = ahead.submit(self._pass_on, check, state, row)
                yield found, rows
        yield found, rows

    def _pass_on(self, check: SeqCheck, state: ScanState, row: int) -> tuple[Ints, Ints, ScanState, int]:
        """The races found from a row on, the rows that prove them, and the state and row with which to go on."""
        scan = check.kernel.scan
        end = min(row + (_STEP if isinstance(scan, FunctionType) else _STRETCH), len(check.index.event))
        row, why = scan(check.index, check.cone, check.slot, state, row, end, self.each, self.limit)
        found, rows = state.found[: state.count[0]].copy(), state.pool[: state.count[5]].copy()
        state.count[0] = state.count[5] = 0
        return found, rows, state._replace(pair=_larger(state.pair)) if why == CROWDED else state, row

    def _reported(self, check: SeqCheck, found: Ints) -> Iterator[tuple[int, int]]:
        """The races found; only one for each access, unless all are wanted."""
        row = check.rows[check.index.row]
        for _, own in groupby(found.tolist(), key=lambda one: one[1]):
            unknown = 0
            for first, second, answer, *_ in own:
                rows = (int(row[first]), int(row[second]))
                complete = None if answer == YES else check.completely(Question(next=rows))
                if answer == YES or isinstance(complete, Feasible):
                    yield rows
                    if self.each == EVENT:
                        unknown = 0
                        break
                unknown += isinstance(complete, Unknown)
            self.undecided += unknown


def _start(check: SeqCheck, limit: int, pool: int) -> ScanState:
    """The state at the beginning of the pass."""
    index, trace = check.index, check.trace
    threads, targets = len(trace.threads), len(trace.targets)
    touched, locks = np.full((targets, 2), NONE, np.int64), np.full((targets, 4), NONE, np.int32)
    check.kernel.touch(index, touched, locks)
    shared = (touched[:, 0] == -2) & (touched[:, 1] == 1)
    suspect = shared & (locks == NONE).all(axis=1)
    suspect[index.target[index.kind == ENTER]] = False
    for target in np.flatnonzero(suspect).tolist():
        suspect[target] = may_race(trace.targets[target])
    written_of, last_of = _numbered(shared), _numbered(suspect)
    must = np.zeros((threads, threads), np.int32)
    return ScanState(
        must,
        must.copy() if len(index.guard) else must,
        written_of,
        np.zeros((int(shared.sum()), threads), np.int32),
        last_of,
        np.full((int(suspect.sum()), threads), NONE, np.int32),
        np.full(int(suspect.sum()), NONE, np.int32),
        np.full((int(suspect.sum()), threads), NONE, np.int32),
        np.full(len(index.row), NONE, np.int32),
        np.full(len(index.row), NONE, np.int32),
        _places(trace)[check.rows],
        np.zeros((1 << 16, 3), np.int64),
        np.empty((limit + _AT_ONCE, 7), np.int64),
        np.empty(pool, np.int64),
        np.zeros(6, np.int64),
    )


def _places(trace: Trace) -> Ints:
    """For each row a number for its source location or, if it has none, for its variable."""
    site, target = np.asarray(trace.site), np.asarray(trace.target)
    return np.where(site >= 0, site, -2 - target)


def _numbered(chosen: Ints) -> Ints:
    """For each target its number among the chosen ones, or NONE."""
    return np.where(chosen, np.cumsum(chosen) - 1, NONE)


def _larger(table: Ints) -> Ints:
    """The table of pairs of places with more room."""
    larger = np.zeros((4 * len(table), 3), np.int64)
    for low, high, number in table[table[:, 2] != 0].tolist():
        at = hash_of(low, high, len(larger))
        while larger[at, 2]:
            at = (at + 1) % len(larger)
        larger[at] = low, high, number
    return larger
