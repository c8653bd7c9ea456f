"""Makes a failing schedule as easy to read as can be found: fewest preemptions, then fewest switches, then fewest
points.

Delta debugging (Zeller and Hildebrandt, TSE 2002) over the blocks of the run-length encoded prefix: a candidate drops
the tail, puts blocks off until their thread's next one, or draws a thread's next block forward. It is run as a plan
that need not be followed to the letter; what the run then did is recorded and taken as the new schedule, if it fails
in the same way and costs less.

Invariants: the result's plan was itself followed strictly and failed with the same identity; the cost never grows;
the same input gives the same result (the limit of seconds is a safeguard that ordinary programs never meet). Cost: at
most ``max_runs`` runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from mazurka.program.protocol import Continuation, Failure, Plan, Program, Run
from mazurka.replay.points import END_POINTS, RELEASE_POINTS, Learning
from mazurka.replay.switches import Blocks, Cost, cost_until, decode_blocks, encode_blocks, prefix_until
from mazurka.trace.event import Op


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A failing plan, its run made with detail, the failure in it, and how far it came."""

    plan: Plan
    run: Run
    failure: Failure
    before: Cost
    after: Cost
    runs: int


@dataclass(slots=True)
class _Search:
    """The best failing prefix so far, and what may still be spent on a better one."""

    program: Program
    identity: tuple[str, ...]
    best: tuple[str, ...]
    cost: Cost
    runs_left: int
    deadline: float
    tried: set[tuple[str, ...]]

    @property
    def exhausted(self) -> bool:
        return self.runs_left <= 0 or time.monotonic() > self.deadline

    def improves(self, prefix: tuple[str, ...]) -> bool:
        """Run a candidate; adopt what it did if that fails in the same way at less cost."""
        if prefix in self.tried or self.exhausted:
            return False
        self.tried.add(prefix)
        self.runs_left -= 1
        run = self.program.execute(Plan(prefix, Continuation.STAY, strict=False))
        failure = failure_with(run, self.identity)
        if failure is None or run.grew:
            return False
        cost = cost_until(run, failure)
        if cost >= self.cost:
            return False
        self.best, self.cost = prefix_until(run, failure), cost
        self.tried.add(self.best)
        return True


def prefix_again(run: Run, program: Program) -> tuple[str, ...]:
    """The prefix that repeats a run in which points were learnt: it counts those passed unknowingly, too."""
    known = program.learned.points if isinstance(program, Learning) else set()
    marks = {Op.RELEASE: RELEASE_POINTS, Op.END: END_POINTS}
    return tuple(
        run.tasks[step.task]
        for step in run.log
        if step.point or (step.site and step.site in known) or marks.get(step.op, 0) in known
    )


def failure_with(run: Run, identity: tuple[str, ...]) -> Failure | None:
    """The failure of that identity among a run's."""
    return next((failure for failure in run.failures if failure.identity == identity), None)


def shrink(
    program: Program, start: Plan | Run, identity: tuple[str, ...], *, max_runs: int = 400, seconds: float = 4.0
) -> Shrunk | None:
    """The simplest failing schedule found from ``start``; None if that does not lead to the failure (any more).

    Give the failing run itself where there is one: it can be repeated even if new points were learnt during it.
    """
    deadline = time.monotonic() + seconds
    found = None
    for plan in (start,) if isinstance(start, Plan) else (Plan(start.schedule()), Plan(prefix_again(start, program))):
        found = found or _detailed(program, plan, identity)
    if found is None:
        return None
    run, failure = found
    before = cost_until(run, failure)
    search = _Search(program, identity, prefix_until(run, failure), before, max_runs, deadline, set())
    while not search.exhausted and any(search.improves(each) for each in _candidates(search.best)):
        pass
    if search.best != prefix_until(run, failure):
        smaller = _detailed(program, Plan(search.best), identity)
        if smaller is not None:
            run, failure = smaller
    after = cost_until(run, failure)
    return Shrunk(Plan(prefix_until(run, failure)), run, failure, before, after, max_runs - search.runs_left)


def _detailed(program: Program, plan: Plan, identity: tuple[str, ...]) -> tuple[Run, Failure] | None:
    """Follow a plan strictly, with detail."""
    run = program.execute(Plan(plan.prefix, plan.then, plan.seed, plan.changes, plan.length, strict=True, detail=True))
    failure = failure_with(run, identity)
    return (run, failure) if failure is not None else None


def _candidates(prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Simpler prefixes to try, the boldest first."""
    blocks = encode_blocks(prefix)
    count = len(blocks)
    kept = 0
    while kept < count:
        yield decode_blocks(blocks[:kept])
        kept = kept * 2 or 1
    size = max(count // 2, 1)
    while size >= 1:
        for start in range(0, count, size):
            yield decode_blocks(put_off(blocks, start, start + size))
            yield decode_blocks(blocks[:start] + blocks[start + size :])
        size //= 2
    for index in range(count):
        yield decode_blocks(draw_forward(blocks, index))
    for index in range(count - 1, 0, -1):
        yield decode_blocks(blocks[:index])


def put_off(blocks: Blocks, start: int, end: int) -> Blocks:
    """Take blocks out and let their points pass in their threads' next blocks, or else after the prefix."""
    owed: dict[str, int] = {}
    for name, count in blocks[start:end]:
        owed[name] = owed.get(name, 0) + count
    later = [(name, count + owed.pop(name, 0)) for name, count in blocks[end:]]
    return blocks[:start] + tuple(later)


def draw_forward(blocks: Blocks, index: int) -> Blocks:
    """Let a block's thread go on at once with what its next block would have done."""
    name, count = blocks[index]
    for later in range(index + 1, len(blocks)):
        if blocks[later][0] == name:
            joined = (name, count + blocks[later][1])
            return (*blocks[:index], joined, *blocks[index + 1 : later], *blocks[later + 1 :])
    return blocks
