"""The loop: take a seed from a strategy, run it, look at what happened, give the run back, until there is reason to
stop.

It also decides the verdict. ``Verified`` is only said when an exhaustive strategy ran out of seeds, no run was cut
short, nothing was untracked or uncontrolled, and the strategy itself has no doubt; else the first reason against it
is given.

A run that *grew* (met a shared location at a site not known to need points) makes what an exhaustive strategy has
learnt incomparable with runs to come: it starts again, keeping the failures found. Sites only ever become known, so
this ends.

With a :class:`~mazurka.explore.frontier.Frontier` everything learnt is written down in batches, so that a killed
exploration goes on where the last batch ended; its failures are then seen again first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from mazurka.explore.frontier import Frontier
from mazurka.explore.outcome import Found, Inconclusive, Outcome, Verdict, Verified, Violation
from mazurka.explore.strategy import Estimate, Seed, Settings, Strategy, make_strategy
from mazurka.program.protocol import Failure, Plan, Program, Run

#: What an exhaustive strategy runs one order each of, if not of interleavings.
_CLASSES: Final = {"mcr": "reads-from classes", "dpor-rf": "reads-from classes", "dpor": "Mazurkiewicz traces"}

#: How long what was learnt may stay unwritten, in seconds.
_BATCH: Final = 0.5


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop although there is more to run; None: never."""

    executions: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an exploration stands after one more run."""

    executions: int
    seconds: float
    found: int  # distinct failures
    new: tuple[Found, ...]  # the failures first seen in this run
    estimate: Estimate
    restarted: bool = False


#: Looks at a finished run and names what is wrong with it, if anything (an invariant, a user's check).
Judge = Callable[[Run], Failure | None]


class Explorer:
    """Explores one program with one strategy. Iterate over :meth:`progress`; :attr:`outcome` is set at its end."""

    def __init__(
        self,
        program: Program,
        strategy: str = "mcr",
        *,
        settings: Settings | None = None,
        budget: Budget | None = None,
        stop_at_first: bool = True,
        judge: Judge | None = None,
        frontier: Frontier | None = None,
        interrupted: Callable[[], bool] | None = None,
    ) -> None:
        self.program = program
        self.strategy_name = strategy
        self.settings = settings or Settings()
        self.budget = budget or Budget()
        self.stop_at_first = stop_at_first
        self.judge = judge
        self.frontier = frontier
        self.interrupted = interrupted
        self.strategy: Strategy = make_strategy(strategy, self.settings)
        self.outcome: Outcome | None = None
        self.found: dict[tuple[str, ...], Found] = {}
        self.executions = 0
        self.restarts = 0
        self.threads = 0
        self.points = 0
        self.truncated = ""
        self.untracked: dict[str, int] = {}
        self.uncontrolled: dict[str, int] = {}
        self._started = 0.0
        self._written = 0.0
        self._doubts = ""  # as last written down

    def run(self) -> Outcome:
        """Explore to the end."""
        for _ in self.progress():
            pass
        assert self.outcome is not None
        return self.outcome

    def progress(self) -> Iterator[Progress]:
        """Explore, yielding after each run. Closing the iterator early is fine: the outcome is then what is known."""
        self._started = self._written = time.perf_counter()
        stopped = "the exploration was abandoned"
        try:
            yield from self._again()
            while not (stopped := self._stop_reason()):
                seed = self.strategy.take()
                if seed is None:
                    break
                yield self._execute(seed)
        except KeyboardInterrupt:
            stopped = "interrupted"
        finally:
            self._write(force=True)
            self.outcome = self._conclude(stopped)
            if self.frontier is not None:
                self.frontier.close(finished=self.outcome.complete)

    # -- one run ------------------------------------------------------------------------------------------------------

    def _again(self) -> Iterator[Progress]:
        """Take up what an earlier, killed exploration left: its rows, and its failures, which are run again."""
        if self.frontier is None:
            return
        self.strategy.restore(self.frontier.rows())
        self.executions = self.frontier.executions
        self._recall()
        for schedule in self.frontier.failures():
            run = self.program.execute(Plan(schedule))
            yield self._progress(self._look(run) if run.divergence is None else (), False)

    def _execute(self, seed: Seed) -> Progress:
        run = self.program.execute(seed.plan)
        self.executions += 1
        new = self._look(run)
        restart = run.grew and self.strategy.exhaustive
        if restart:
            self.restarts += 1
            self.strategy = make_strategy(self.strategy_name, self.settings)
            if self.frontier is not None:
                self.frontier.forget_rows()
        else:
            self.strategy.give(seed, run)
        self._write()
        return self._progress(new, restart)

    def _progress(self, new: tuple[Found, ...], restarted: bool) -> Progress:
        seconds = time.perf_counter() - self._started
        return Progress(self.executions, seconds, len(self.found), new, self.strategy.estimate(), restarted)

    def _look(self, run: Run) -> tuple[Found, ...]:
        """Note what a run did, and its failures if they are new ones: one after another if the search goes on."""
        for totals, counts in ((self.untracked, run.untracked), (self.uncontrolled, run.uncontrolled)):
            for name, count in counts.items():
                totals[name] = totals.get(name, 0) + count
        if run.truncated:
            self.truncated = self.truncated or run.truncated
        self.threads = max(self.threads, len(run.tasks))
        if run.divergence is not None:
            return ()
        failures = run.failures
        if self.judge is not None and not run.truncated:
            verdict = self.judge(run)
            failures = [*failures, verdict] if verdict is not None else failures
        self.points = max(self.points, sum([step.point for step in run.log]))
        unknown = {each.identity: each for each in reversed(failures) if each.identity not in self.found}
        if not unknown:
            return ()
        schedule = run.schedule()
        if self.frontier is not None:
            self.frontier.add_failure(schedule)
        new = tuple(Found(each, schedule, self.executions) for each in reversed(unknown.values()))
        if self.stop_at_first:
            new = new[:1]
        self.found.update((found.failure.identity, found) for found in new)
        return new

    def _recall(self) -> None:
        """What earlier runs of this search said against a proof counts for those to come, too."""
        assert self.frontier is not None
        self._doubts = self.frontier.fact("doubts")
        if self._doubts:
            self.truncated, untracked, uncontrolled, self.threads, self.points = json.loads(self._doubts)
            self.untracked.update(untracked)
            self.uncontrolled.update(uncontrolled)

    def _remember(self) -> None:
        """Write down what speaks against a proof, before the runs that it comes from count as made."""
        assert self.frontier is not None
        doubts = json.dumps([self.truncated, self.untracked, self.uncontrolled, self.threads, self.points])
        if doubts != self._doubts:
            self._doubts = doubts
            self.frontier.remember("doubts", doubts)

    def _write(self, force: bool = False) -> None:
        now = time.perf_counter()
        if not force and now - self._written <= _BATCH:
            return
        self._written = now
        rows = self.strategy.rows()  # taken even if nobody wants them: they must not pile up
        if self.frontier is not None:
            self._remember()
            self.frontier.add(rows, self.executions)

    # -- the end ------------------------------------------------------------------------------------------------------

    def _stop_reason(self) -> str:
        """Why no further run is made although there may be more ("": there is no reason)."""
        if self.found and self.stop_at_first:
            return "stopped at the first failure"
        if self.budget.executions is not None and self.executions >= self.budget.executions:
            return f"the limit of {self.budget.executions} executions was reached"
        if self.budget.seconds is not None and time.perf_counter() - self._started >= self.budget.seconds:
            return f"the time limit of {self.budget.seconds:g} s was reached"
        if self.interrupted is not None and self.interrupted():
            return "interrupted"
        return ""

    def _conclude(self, stopped: str) -> Outcome:
        complete = not stopped and self.strategy.exhaustive
        notes = [note for note in (self.strategy.note(), self.frontier.trouble if self.frontier else "") if note]
        return Outcome(
            self._verdict(stopped),
            self.strategy_name,
            self.executions,
            time.perf_counter() - self._started,
            complete,
            tuple(self.found.values()),
            self.restarts,
            self.threads,
            self.points,
            self.untracked,
            self.uncontrolled,
            tuple(notes),
        )

    def _verdict(self, stopped: str) -> Verdict:
        if self.found:
            return Violation(next(iter(self.found.values())))
        if self.truncated:
            return Inconclusive(self.truncated)
        if stopped:
            return Inconclusive(stopped)
        if not self.strategy.exhaustive:
            return Inconclusive(f"{self.strategy_name} samples, it can't cover everything")
        if self.uncontrolled:
            return Inconclusive(f"not controlled: {_listed(self.uncontrolled)}")
        if self.untracked:
            return Inconclusive(f"not tracked: {_listed(self.untracked)}")
        if doubt := self.strategy.doubt():
            return Inconclusive(doubt)
        kind = _CLASSES.get(self.strategy_name, "interleavings")
        return Verified(f"all {kind} of the program on this input, under sequential consistency")


def _listed(counts: dict[str, int]) -> str:
    names = sorted(counts, key=lambda name: (-counts[name], name))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
