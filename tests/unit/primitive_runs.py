"""Runs of small Python programs on the runtime with the models in place, without instrumentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.in_progress import in_progress

from mazurka.program.protocol import Failure, Plan, TailPolicy
from mazurka.program.python import outside, primitives
from mazurka.program.python.liveness.deadlock import stuck_python as stuck
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned, Limits, Task


@dataclass
class Outcome:
    """The result of one run."""

    runtime: Runtime
    result: Any
    errors: list[tuple[str, BaseException]]
    failures: list[Failure]

    def check(self) -> Any:
        """The result of a run that must have gone well."""
        for _, error in self.errors:
            raise error
        assert not self.failures, self.failures
        assert not self.runtime.truncated, self.runtime.truncated
        return self.result


def run(main: Callable[[], Any], plan: Plan | None = None, learned: Learned | None = None) -> Outcome:
    """Run ``main`` once; the models must be installed."""
    runtime = Runtime(plan or Plan(), learned or Learned(), Limits(steps=50_000, seconds=20.0))
    outcome = Outcome(runtime, None, [], runtime.failures)

    def note(runtime: Runtime, task: Task, error: BaseException) -> None:
        outcome.errors.append((task.name, error))

    runtime.on_error = note
    runtime.on_stuck = stuck

    def body() -> None:
        outcome.result = main()
        primitives.finish_main()

    try:
        with in_progress(runtime):
            runtime.run(body)
    finally:
        outside.end_run()
    return outcome


def every_run(main: Callable[[], Any], most: int = 20_000) -> Iterator[Outcome]:
    """One run for each interleaving of points, depth first; starts anew when a run teaches of new points."""
    learned = Learned()
    pending: list[tuple[str, ...]] = [()]
    while pending:
        outcome = run(main, Plan(prefix=pending.pop()), learned)
        runtime = outcome.runtime
        assert runtime.divergence is None, runtime.divergence
        if runtime.sharing.found_new_points:
            pending = [()]
            continue
        yield outcome
        most -= 1
        assert most, "more interleavings than the test expected"
        moved = [runtime.tasks[step[0]].name for step in runtime.log if step[4]]
        known = len(runtime.scheduler.prefix)
        for point, chosen, enabled in runtime.scheduler.choices:
            if point >= known:
                pending += [(*moved[:point], runtime.tasks[i].name) for i in enabled if i != chosen]


def outcomes(main: Callable[[], Any], most: int = 20_000) -> set[Any]:
    """The results of all interleavings; every run must go well."""
    return {outcome.check() for outcome in every_run(main, most)}


def failures(main: Callable[[], Any], most: int = 20_000) -> dict[tuple[str, ...], Failure]:
    """The distinct failures of all interleavings."""
    return {failure.identity: failure for outcome in every_run(main, most) for failure in outcome.failures}


def random_plans(count: int) -> Iterator[Plan]:
    for seed in range(count):
        yield Plan(tail=TailPolicy.RANDOM, seed=seed)


@contextmanager
def installed() -> Iterator[None]:
    primitives.install()
    try:
        yield
    finally:
        primitives.uninstall()
