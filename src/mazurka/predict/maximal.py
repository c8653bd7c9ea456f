"""Maximal prediction: every race, deadlock, atomicity or order violation that a trace's maximal causal model proves.

Patent 003, "Maximal Causal Model With Control Flow" and "Implementation": what the quick check (fast_path.py) leaves is
asked of the model (questions.py), which decides. So nothing that the trace proves is missed, unless a limit says so:
``window`` bounds the rows that one model covers, ``limit`` the questions for one signature, ``expired`` the time.

*Signature pruning*: once a pair of locations is known to race, no other events of the two are asked about
(:attr:`Once.LOCATIONS`). :attr:`Once.EVENTS` looks for one partner of each event, :attr:`Once.ALL` for all.
Where the trace tells no locations, two places are one location if they are the same variable's.

Cost: one pass, and the solver's for each question.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from mazurka.causal.solver import Unknown
from mazurka.predict.deadlocks.lock_cycles import LockCycles
from mazurka.predict.kinds.registry import KINDS, Rows, definition
from mazurka.predict.predictor import Prediction
from mazurka.predict.questions import Questions
from mazurka.trace.conflicts import RACE
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Witness

#: Questions for one signature, and what may be asked about altogether.
_LIMIT: Final = 500
_MOST: Final = 2_000_000


#: Candidates by what is looked for once of them.
Groups = dict[Hashable, list[Rows]]


class Once(Enum):
    """What is looked for once."""

    LOCATIONS = "locations"
    EVENTS = "events"
    ALL = "all"


def never() -> bool:
    """No time limit."""
    return False


@dataclass(slots=True)
class Maximal:
    """Finds one kind of bug; see the module. ``undecided`` counts signatures of which some question is open."""

    kind: str = RACE
    each: Once = Once.LOCATIONS
    window: int | None = None
    limit: int = _LIMIT
    expired: Callable[[], bool] = never
    asked: int = field(default=0, init=False)
    undecided: int = field(default=0, init=False)

    def predict(self, trace: Trace) -> Iterator[Prediction]:
        """What the trace proves, each as soon as it is known."""
        groups, left = grouped(trace, self.kind, self.each, limit=self.limit)
        self.undecided = len(left)
        questions, claim = Questions(trace, self.window), definition(self.kind).claim
        for signature, several in groups.items():
            for rows in several:
                if self.expired():
                    left.add(signature)
                    break
                self.asked += 1
                answer = questions.ask(claim(rows))
                if isinstance(answer, Witness):
                    yield Prediction(self.kind, rows, answer)
                    if self.each is not Once.ALL:
                        left.discard(signature)
                        break
                elif isinstance(answer, Unknown):
                    left.add(signature)
            self.undecided = len(left)


def grouped(trace: Trace, kind: str, *once: Once, limit: int = _LIMIT) -> tuple[Groups, set[Hashable]]:
    """What may be so, by what is looked for once; and of what there is more than may be asked about."""
    found: Groups = {}
    left: set[Hashable] = set()
    signatures = [Signatures(trace, kind, each) for each in once]
    possible = definition(kind).candidates(trace, Once.ALL in once)
    for number, rows in enumerate(possible):
        if number >= _MOST:
            left.add(None)
            break
        for signature in signatures:
            several = found.setdefault(key := signature.of(rows), [])
            if len(several) < limit:
                several.append(rows)
            else:
                left.add(key)
    if isinstance(possible, LockCycles) and not possible.complete:
        left.add(None)
    return found, left


class Signatures:
    """What is looked for once, of rows that make up a bug."""

    def __init__(self, trace: Trace, kind: str, each: Once) -> None:
        self._kind, self._each = KINDS[kind], each
        self._site, self._target = trace.site, trace.target

    def of(self, rows: Rows) -> Hashable:
        if self._each is Once.ALL or (self._each is Once.EVENTS and not self._kind.by_last_event):
            return rows
        if self._each is Once.EVENTS:
            return rows[-1]
        places = tuple([self._place(row) for row in rows])
        return places if self._kind.is_ordered else tuple(sorted(places))

    def _place(self, row: int) -> int:
        site = int(self._site[row])
        return site if site >= 0 else -2 - int(self._target[row])
