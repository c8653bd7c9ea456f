"""Maximal causality reduction without questions about needless reads: ``mcr-s`` and ``mcr-s+``.

Definition. A read is *needless* if its value flows into nothing that decides a step of a thread or is observable: no
branch, no key or receiver, no call, no output (a :class:`Dependence` determines this from the program's source). For
``mcr-s`` the value must not flow into a shared location either; for ``mcr-s+`` it may flow into locations all of whose
reads are needless themselves, like counters that no code reads. Two runs are equivalent if every thread takes the same
steps in both and every read *that is not needless* takes its value from the same write.

Needless reads can be left out of the causal model: take them out of a run's log, leaving steps without accesses. A
thread's next step is still determined by its remaining steps and reads, since it does not depend on the value of a read
that was taken out; so the axioms of history.py hold for the rest, and so do the theorems of mcr.py. No class is
executed twice. The read itself must not be able to fail: it is taken out only if its location is known to exist,
because a store to it came causally before, by a path without needless reads. That depends on the causal past of the
read alone, so that it is the same in all runs.

If stores are delayed, the arrival of a thread's own store remains a question: it decides whether the thread reads
memory at all.

Departure from the source (dissertation of S. Huang, ch. 4). Its algorithm 4 lets each event require only the reads that
the event depends on, argues from the last controlling read, and repeats classes; algorithm 6 avoids repetitions by
requiring all reads before the one asked about. Here all later events of the thread require a read that any event
depends on, whether it is the last one or not. So less is saved in each question, but whole classes are saved, and none
is missed: there is a test for the case in which the last controlling read does not decide.

The analysis of the source holds for the modules that are loaded when the first run is over. If a run has loaded
others, in any process, or if other code stores a location that a needless read reads, the search begins again with all
reads.

Cost: one more pass over the log of a run, two if a needless read may fail, and has to stay.
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

#: In the records of kinds of targets: no read is left out; and the version of the source by which reads are left out.
_KEEP: Final = "every-read"
_SOURCE: Final = "source:"

#: Whether a target is a plain variable: an attribute, a global, or a variable of a small program.
_is_named: Final = of_kinds(Kind.ATTRIBUTE, Kind.GLOBAL, Kind.VARIABLE)


class SlicedSearch(ReadsFromSearch):
    """The ``mcr-s`` strategy."""

    name = "mcr-s"

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(make_solver(settings.solver), source.dependence(final=cls._looks_at_ends(settings)), source.uses_of)

    @classmethod
    def _looks_at_ends(cls, settings: StrategySettings) -> bool:
        """Whether the final values of locations count."""
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
        else:  # the very first run: there is no knowledge that would become void
            self.taken_kinds.add(version)
            self.journal.append(("reset", " ".join(sorted(self.taken_kinds))))
            self.record_branch(branch)
            return True
        return False

    def _is_stored_elsewhere(self, run: Run) -> bool:
        """Whether code outside the analysis stores a location that a needless read reads."""
        needless = self.dependence.needless()
        stores = {s.target: needless[s.site].stores for s in run.log if s.site in needless and s.op is Op.READ}
        return any(
            WRITES[step.op] and step.target in stores and step.site not in stores[step.target] and not _arrives(step)
            for step in run.log
        )

    def _model(self, run: Run) -> History:
        """The history of a run without its needless reads."""
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
    """The ``mcr-s+`` strategy: reads whose values only flow into locations all of whose reads are needless are
    needless, too."""

    name = "mcr-s+"

    @classmethod
    def _looks_at_ends(cls, settings: StrategySettings) -> bool:
        return settings.finals  # a test of final states may read locations that the program itself never reads


def _arrives(step: Step) -> bool:
    """Whether the step is the arrival of a delayed store."""
    return any(kind_of(access.target) is Kind.FLUSHED for access in step.more)


def _without(run: Run, out: set[int]) -> History:
    log = [step._replace(op=Op.NOP) if index in out else step for index, step in enumerate(run.log)]
    return History(run.tasks, log, run.blocked)


def _is_there(history: History, run: Run, index: int, condition: Condition) -> bool:
    """Whether the location that is read is certain to exist, and was stored by code that is known."""
    if condition.there:
        return True
    stores = history.writers.get(run.log[index].target, ())
    return any(run.log[store].site in condition.stores and history.needs(index, store) for store in stores)
