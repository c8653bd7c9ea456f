"""What a search has covered, for the report of one that could not end.

- Every order with up to some number of preemptions (bounded.py): this is certain.
- The pairs of conflicting accesses that executions have shown in both orders, and the pairs of critical sections of one
  lock. They are pairs of instrumentation points, as accesses have no other name that is the same in all executions; a
  critical section goes by the first one in it. A pair in one order only is one that no execution has turned round, as
  accesses under a lock are. That all are turned round proves nothing.
- The probability with which samplers find a bug of depth 2 (mixed_sampling.py).

Cost: of :class:`OrderedPairs` 5 % of an execution; from its 64th execution without a new pair on, an eighth of that.
"""

from __future__ import annotations

from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Run
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Target, Trait, kind_of

#: Executions in a row without a new pair, after which not all are read, and of how many one is.
_QUIET: Final = 64
_ONE_OF: Final = 8

#: Two instrumentation points, in the order in which two threads came to them.
Pair = tuple[SiteNumber, SiteNumber]


@dataclass(frozen=True, slots=True)
class Bounded:
    """Every order with up to ``preemptions`` was covered, by so many executions; -1: not even those with none."""

    preemptions: int
    executions: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many pairs executions have shown, how many of them in both orders, and the others in the order shown."""

    shown: int
    in_both_orders: int
    in_one_order: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Sampled:
    """Executions of samplers; ``probability``, at least, they find a given bug of depth 2 in executions of so many
    threads and points."""

    executions: int
    probability: float
    threads: int
    points: int


@dataclass(frozen=True, slots=True)
class Cause:
    """``share`` of the further orders to execute come from threads that change places at an operation on a kind of
    targets at ``site``."""

    op: Op
    kind: str
    site: SiteNumber
    share: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """See the module; None: the search did not look at it."""

    bounded: Bounded | None = None
    conflicts: Pairs | None = None
    sections: Pairs | None = None
    sampled: Sampled | None = None
    causes: tuple[Cause, ...] = ()
    assuming: str = ""  # the assumption of ``bounded``, beyond those of every search


def places_of(run: Run) -> list[SiteNumber]:
    """The instrumentation points of a run's steps. Operations on locks and queues have none: they get the next one that
    their thread comes to, which is on the same line or the next one, mostly."""
    upcoming: dict[int, int] = {}  # by thread
    found = []
    for task, _, _, site, *_ in reversed(run.entries()):
        if site:
            upcoming[task] = site
        found.append(SiteNumber(upcoming.get(task, 0)))
    return found[::-1]


class OrderedPairs:
    """The pairs of conflicting accesses and of critical sections that executions have shown."""

    def __init__(self) -> None:
        self._conflicts: set[Pair] = set()
        self._sections: set[Pair] = set()
        self._quiet = 0

    def look(self, run: Run) -> None:
        """Enter an execution."""
        self._quiet += 1
        if self._quiet > _QUIET and self._quiet % _ONE_OF:
            return
        before = len(self._conflicts) + len(self._sections)
        self._enter(run)
        if len(self._conflicts) + len(self._sections) != before:
            self._quiet = 0

    def _enter(self, run: Run) -> None:
        written: dict[Target, tuple[int, SiteNumber]] = {}
        read: dict[Target, dict[int, SiteNumber]] = {}
        taken: dict[Target, tuple[int, SiteNumber]] = {}
        for (task, op, target, _, _, _, more), place in zip(run.entries(), places_of(run), strict=True):
            if op is Op.ACQUIRE:
                if target in taken and taken[target][0] != task:
                    self._sections.add((taken[target][1], place))
                taken[target] = task, place
                continue
            for access, touched in ((op, target), *[(each.op, each.target) for each in more]):
                reads, writes = READS[access], WRITES[access]
                if not (reads or writes) or kind_of(touched).has(Trait.ORDERS):
                    continue
                earlier = written.get(touched)
                if earlier is not None and earlier[0] != task:
                    self._conflicts.add((earlier[1], place))
                if writes:
                    for other, elsewhere in read.pop(touched, {}).items():
                        if other != task:
                            self._conflicts.add((elsewhere, place))
                    written[touched] = task, place
                else:
                    read.setdefault(touched, {})[task] = place

    def coverage(self) -> Coverage:
        """The pairs."""
        return Coverage(conflicts=_pairs(self._conflicts), sections=_pairs(self._sections))


def _pairs(ordered: set[Pair]) -> Pairs:
    """Both orders of two equal points are the same pair, so it is shown in both."""
    alone = sorted((first, second) for first, second in ordered if (second, first) not in ordered)
    shown = len({(min(pair), max(pair)) for pair in ordered})
    return Pairs(shown, shown - len(alone), tuple(alone))
