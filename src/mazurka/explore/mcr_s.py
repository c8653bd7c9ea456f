"""Maximal causality reduction without questions about needless reads: ``mcr-s`` and ``mcr-s+``.

Definition. A read is *needless* if its value flows into nothing that decides a step of a thread or is observable: no
branch, no key or receiver, no call, no output (a :class:`Dependence` says so, from the program's source). ``mcr-s``
means by that values that no shared location takes on either; ``mcr-s+`` also those that only go into locations all of
whose reads are needless themselves, like counters that no code reads. Two runs are equivalent if every thread takes the
same steps in both and every read *that is not needless* takes its value from the same write.

Why that is a causal model as well. Take needless reads out of a run's log, leaving steps without accesses. A thread's
next step is still determined by its remaining steps and reads, since it does not depend on the value of a read that was
taken out; so the axioms of history.py hold of the rest, and with them all that mcr.py proves. No class is run twice.
The read itself must not be able to fail: it is taken out only where its location exists, because a store to it came
causally before, without help of any needless read. That depends on the causal past of the read alone, so that runs
agree on it.

Where stores are delayed, the arrival of a thread's own store remains a question: it decides whether the thread reads
memory at all.

Where this departs from the source (dissertation of S. Huang, ch. 4). Its algorithm 4 lets each event require only the
reads that the event depends on, argues from the last controlling read, and repeats classes; algorithm 6 gets rid of
these by requiring all reads before the one asked about. Here, every read that anything depends on stays required by all
that follows in its thread, be it the last or not. So less is saved in each question, but whole classes are, and
none is missed: the case where the last controlling read does not decide is a test.

The analysis of the source holds for the modules that are loaded when the first run is over. If a run has loaded
others, in any process, or if code elsewhere stores a location that a needless read reads, the search begins again with
all reads.

Cost: one more pass over the log of a run, two if a read has to stay that might have gone.
"""

from __future__ import annotations

from typing import Final

from mazurka.causal.history import History
from mazurka.causal.solver import Solver
from mazurka.causal.solvers import make_solver
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.explore.reads_from.tree import Branch
from mazurka.explore.strategy import Strategy, StrategySettings
from mazurka.program.conditions import UsesOf
from mazurka.program.protocol import Run, Step
from mazurka.program.source_analysis import Condition, Dependence, SourceAnalysis
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Kind, kind_of, of_kinds

#: Among the kinds of targets: that no read is left out; and the version of the source by which reads are.
_KEEP: Final = "every-read"
_SOURCE: Final = "source:"

#: Whether a target is a plain variable: an attribute, a global, or one of a small program.
_is_named: Final = of_kinds(Kind.ATTRIBUTE, Kind.GLOBAL, Kind.VARIABLE)


class SlicedSearch(ReadsFromSearch):
    """The ``mcr-s`` strategy."""

    name = "mcr-s"

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(make_solver(settings.solver), source.dependence(final=cls._looks_at_ends(settings)), source.uses_of)

    @classmethod
    def _looks_at_ends(cls, settings: StrategySettings) -> bool:
        """Whether what locations hold in the end counts."""
        return True

    def __init__(self, solver: Solver, dependence: Dependence, uses: UsesOf | None = None) -> None:
        self.dependence = dependence
        super().__init__(solver, uses)

    def _learn(self, branch: Branch, run: Run, with_values: bool) -> None:
        if _KEEP in self.taken_kinds or self._holds(branch, run):
            super()._learn(branch, run, with_values)

    def _holds(self, branch: Branch, run: Run) -> bool:
        """Whether the analysis of the source holds for this run; if not, reset the search."""
        version = _SOURCE + self.dependence.version()
        if self._is_stored_elsewhere(run):
            self._reset({_KEEP})
        elif version in self.taken_kinds:
            return True
        elif any(kind.startswith(_SOURCE) for kind in self.taken_kinds):
            self._reset({_KEEP})
        elif self.is_worker or branch.parent is not None or branch.number:
            self._reset({version})
        else:  # the very first run: nothing has been learnt that would be void
            self.taken_kinds.add(version)
            self.journal.append(("reset", " ".join(sorted(self.taken_kinds))))
            self.record_branch(branch)
            return True
        return False

    def _is_stored_elsewhere(self, run: Run) -> bool:
        """Whether a location of needless reads is stored by code outside the analysis."""
        needless = self.dependence.needless()
        stores = {s.target: needless[s.site].stores for s in run.log if s.site in needless and s.op is Op.READ}
        return any(
            WRITES[step.op] and step.target in stores and step.site not in stores[step.target] and not _arrives(step)
            for step in run.log
        )

    def _model(self, run: Run) -> History:
        """The run without its needless reads."""
        needless = {} if _KEEP in self.taken_kinds else self.dependence.needless()
        out = {
            index
            for index, step in enumerate(run.log)
            if step.op is Op.READ and step.site in needless and _is_named(step.target) and not step.more
        }
        history = _without(run, out)
        stay = {i for i in out if not _is_there(history, run, i, needless[run.log[i].site])}
        return _without(run, out - stay) if stay else history


class TransitivelySlicedSearch(SlicedSearch):
    """The ``mcr-s+`` strategy: reads are needless, too, that only go into locations all of whose reads are needless."""

    name = "mcr-s+"

    @classmethod
    def _looks_at_ends(cls, settings: StrategySettings) -> bool:
        return settings.finals  # a test of final states may read locations that the program itself never reads


def _arrives(step: Step) -> bool:
    """Whether it is a store of a thread that has come late."""
    return any(kind_of(access.target) is Kind.FLUSHED for access in step.more)


def _without(run: Run, out: set[int]) -> History:
    log = [step._replace(op=Op.NOP) if index in out else step for index, step in enumerate(run.log)]
    return History(run.tasks, log, run.blocked)


def _is_there(history: History, run: Run, index: int, condition: Condition) -> bool:
    """Whether the location that is read surely exists and was stored by code that is known."""
    if condition.there:
        return True
    stores = history.writers.get(run.log[index].target, ())
    return any(run.log[store].site in condition.stores and history.needs(index, store) for store in stores)
