"""What a search that did not end has covered, in words and numbers, and what made the program large."""

from __future__ import annotations

from mazurka.lazy_dataclass import dataclass
from mazurka.report.words import counted


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of places that executions have shown, how many of them in both orders, and some of the others, each as the
    place that came first and the one that came second."""

    shown: int
    in_both_orders: int
    in_one_order: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SampledCounts:
    """Executions of samplers, and the least probability with which they find a given bug of depth 2, that is one that
    two ordering constraints lead to, in executions of at most so many threads and points."""

    executions: int
    probability: float
    threads: int
    points: int


@dataclass(frozen=True, slots=True)
class CauseOfOrders:
    """``share`` of the further orders differ in which thread does what ``action`` says first, at a place."""

    action: str
    location: str
    share: float


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """``preemptions``: every order with up to so many was covered, for certain, by ``orders`` executions (None: the
    search can't say); ``assuming`` is the assumption of that statement beyond the usual ones."""

    preemptions: int | None = None
    orders: int = 0
    assuming: str = ""
    conflicts: PairCounts | None = None
    sections: PairCounts | None = None
    sampled: SampledCounts | None = None
    causes: tuple[CauseOfOrders, ...] = ()

    def covers(self, preemptions: int) -> bool:
        """Whether every order with up to so many preemptions was covered."""
        return self.preemptions is not None and self.preemptions >= preemptions

    def sentences(self) -> list[str]:
        """The coverage in words: what is certain, what is probable."""
        found = []
        if self.preemptions is not None:
            bound = (
                f"with up to {counted(self.preemptions, 'preemption')}" if self.preemptions else "without preemptions"
            )
            assuming = f", assuming that {self.assuming}" if self.assuming else ""
            found.append(f"covered for certain: every order {bound} ({counted(self.orders, 'execution')}){assuming}")
        executed = [
            f"{pairs.in_both_orders:,} of {pairs.shown:,} pairs of {what}"
            for pairs, what in ((self.conflicts, "conflicting accesses"), (self.sections, "critical sections"))
            if pairs is not None and pairs.shown
        ]
        if executed:
            found.append(f"executed in both orders: {', '.join(executed)}")
        if self.sampled is not None and (least := int(self.sampled.probability * 100)) > 0:
            sampled = counted(self.sampled.executions, "random execution")
            found.append(f"covered probably: {sampled} find a bug of depth 2 with a probability of at least {least} %")
        return found
