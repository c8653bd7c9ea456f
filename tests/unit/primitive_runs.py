"""Runs of small Python programs on the kernel with the models in place, without instrumentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mazurka.program.protocol import Continuation, Failure, Plan
from mazurka.program.python import kernel as kernel_module
from mazurka.program.python import outside, primitives
from mazurka.program.python.kernel import Kernel
from mazurka.program.python.stuck import stuck
from mazurka.program.python.task import Learned, Limits, Task


@dataclass
class Outcome:
    """What one run did."""

    kernel: Kernel
    result: Any
    errors: list[tuple[str, BaseException]]
    failures: list[Failure]

    def check(self) -> Any:
        """The result of a run that must have gone well."""
        for _, error in self.errors:
            raise error
        assert not self.failures, self.failures
        assert not self.kernel.truncated, self.kernel.truncated
        return self.result


def run(main: Callable[[], Any], plan: Plan | None = None, learned: Learned | None = None) -> Outcome:
    """Run ``main`` once; the models must be installed."""
    kernel = Kernel(plan or Plan(), learned or Learned(), Limits(steps=50_000, seconds=20.0))
    outcome = Outcome(kernel, None, [], kernel.failures)

    def note(kernel: Kernel, task: Task, error: BaseException) -> None:
        outcome.errors.append((task.name, error))

    kernel.on_error = note
    kernel.on_stuck = stuck

    def body() -> None:
        outcome.result = main()
        primitives.finish_main()

    kernel_module.activate(kernel)
    primitives.begin(kernel)
    try:
        kernel.run(body)
    finally:
        kernel_module.activate(None)
        primitives.end()
        outside.end_run()
    return outcome


def every_run(main: Callable[[], Any], most: int = 20_000) -> Iterator[Outcome]:
    """One run for each interleaving of points, depth first; starts anew when a run teaches of new points."""
    learned = Learned()
    pending: list[tuple[str, ...]] = [()]
    while pending:
        outcome = run(main, Plan(prefix=pending.pop()), learned)
        kernel = outcome.kernel
        assert kernel.divergence is None, kernel.divergence
        if kernel.sharing.grew:
            pending = [()]
            continue
        yield outcome
        most -= 1
        assert most, "more interleavings than the test expected"
        moved = [kernel.tasks[step[0]].name for step in kernel.log if step[4]]
        known = len(kernel.scheduler.prefix)
        for point, chosen, enabled in kernel.scheduler.choices:
            if point >= known:
                pending += [(*moved[:point], kernel.tasks[i].name) for i in enabled if i != chosen]


def outcomes(main: Callable[[], Any], most: int = 20_000) -> set[Any]:
    """The results of all interleavings; every run must go well."""
    return {outcome.check() for outcome in every_run(main, most)}


def failures(main: Callable[[], Any], most: int = 20_000) -> dict[tuple[str, ...], Failure]:
    """The distinct failures of all interleavings."""
    return {failure.identity: failure for outcome in every_run(main, most) for failure in outcome.failures}


def random_plans(count: int) -> Iterator[Plan]:
    for seed in range(count):
        yield Plan(then=Continuation.RANDOM, seed=seed)


@contextmanager
def installed() -> Iterator[None]:
    primitives.install()
    try:
        yield
    finally:
        primitives.uninstall()
