"""Makes a failing schedule as easy to read as can be found: fewest preemptions, then fewest switches, then fewest
points.

Delta debugging (Zeller and Hildebrandt, TSE 2002) over the blocks of the run-length encoded prefix: a candidate drops
the tail, puts blocks off until their thread's next one, or draws a thread's next block forward. It is run as a plan
that need not be followed exactly; the steps of the run are recorded and become the new schedule, if it fails
in the same way and costs less. At last every switch is made as early as the failure allows: then the thread was
stopped right after something that the failure depends on, and not somewhere later, where its last steps would be
mistaken for the cause.

Invariants: the result's plan was itself followed strictly and failed with the same identity, with the points that the
program knows at the end; neither preemptions nor switches become more; the same input gives the same result (the limit
of seconds is a safeguard that ordinary programs never meet). Cost: at most ``max_runs`` runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import field

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, Plan, Program, Run, TailPolicy, learned_points
from mazurka.program.runtime.task import CLOCK_POINTS, END_POINTS, RELEASE_POINTS
from mazurka.replay.switches import Blocks, Cost, cost_until, decode_blocks, encode_blocks, prefix_until
from mazurka.trace.event import Op
from mazurka.trace.targets import CLOCK


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
class _Shrinking:
    """The best failing prefix so far with its run, and the budget left for a better one.

    A run may learn new points, and then every prefix means something else: ``best`` is then rewritten in terms of them,
    and ``learnt`` counts how often that has happened.
    """

    program: Program
    identity: tuple[str, ...]
    best: tuple[str, ...]
    run: Run
    before: Cost
    cost: Cost
    runs_left: int
    deadline: float
    tried: set[tuple[str, ...]] = field(default_factory=set)
    learnt: int = 0

    @property
    def exhausted(self) -> bool:
        return self.runs_left <= 0 or time.monotonic() > self.deadline

    def improves(self, prefix: tuple[str, ...]) -> bool:
        """Execute a candidate; adopt its schedule if it fails in the same way at less cost."""
        run = self._try(prefix)
        return run is not None and self._cost(run) < self.cost and self._adopt(run)

    def keeps(self, prefix: tuple[str, ...]) -> bool:
        """Execute a candidate; adopt its schedule if it fails in the same way with no more switches."""
        run = self._try(prefix)
        if run is None:
            return False
        return self._cost(run)[:2] <= self.cost[:2] and self._adopt(run)

    def _try(self, prefix: tuple[str, ...]) -> Run | None:
        """A candidate's run, if it has not been tried before and fails in the same way."""
        if prefix in self.tried or self.exhausted:
            return None
        self.tried.add(prefix)
        run = self._execute(prefix)
        if run.found_new_points:
            self._learn()
            return None
        return run if failure_with(run, self.identity) is not None else None

    def _learn(self) -> None:
        """Rewrite the best prefix in terms of the points known now."""
        self.learnt += 1
        self.tried.clear()
        run = self._execute(prefix_again(self.run, self.program))
        if failure_with(run, self.identity) is not None:
            self._adopt(run)
            self.before = max(self.before, self.cost)

    def _execute(self, prefix: tuple[str, ...]) -> Run:
        self.runs_left -= 1
        return self.program.execute(Plan(prefix, TailPolicy.STAY, strict=False))

    def _cost(self, run: Run) -> Cost:
        failure = failure_with(run, self.identity)
        assert failure is not None
        return cost_until(run, failure)

    def _adopt(self, run: Run) -> bool:
        failure = failure_with(run, self.identity)
        assert failure is not None
        self.run, self.best, self.cost = run, prefix_until(run, failure), cost_until(run, failure)
        self.tried.add(self.best)
        return True


def prefix_again(run: Run, program: Program, end: int | None = None) -> tuple[str, ...]:
    """The prefix that repeats a run in which points were learnt, or its first ``end`` steps: it counts those passed
    unknowingly, too."""
    known = learned_points(program).points
    marks = {Op.RELEASE: RELEASE_POINTS, Op.END: END_POINTS}
    return tuple(
        run.tasks[step.task]
        for step in run.log[:end]
        if step.point
        or (step.site and step.site in known)
        or marks.get(step.op, 0) in known
        or (step.target == CLOCK and CLOCK_POINTS in known)
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
    before, known = cost_until(run, failure), frozenset(learned_points(program).points)
    search = _Shrinking(program, identity, prefix_until(run, failure), run, before, before, max_runs, deadline)
    while not search.exhausted and any(search.improves(each) for each in _candidates(search.best)):
        pass
    _hasten(search)
    if search.best != prefix_until(run, failure) or learned_points(program).points != known:
        smaller = _detailed(program, Plan(search.best), identity)
        if smaller is None:
            learned_points(program).points = set(known)  # the first run can be repeated with these only
        else:
            run, failure = smaller
    after = cost_until(run, failure)
    return Shrunk(Plan(prefix_until(run, failure)), run, failure, before, after, max_runs - search.runs_left)


def _detailed(program: Program, plan: Plan, identity: tuple[str, ...]) -> tuple[Run, Failure] | None:
    """Follow a plan strictly, with detail."""
    run = program.execute(Plan(plan.prefix, plan.tail, plan.seed, plan.changes, plan.length, strict=True, detail=True))
    failure = failure_with(run, identity)
    return (run, failure) if failure is not None else None


def _hasten(search: _Shrinking) -> None:
    """Make each switch, from the first on, as early as the failure allows: after 1, 2, 4 ... of its points, then by
    bisection below the first of these that allow it. Further on may be points that do not, such as those with a lock.
    """
    index = 0
    while index < len(blocks := encode_blocks(search.best)) - 1:
        too_few, enough, learnt = 0, blocks[index][1], search.learnt
        is_bisecting = False
        while enough - too_few > 1 and not search.exhausted and search.learnt == learnt:
            middle = (too_few + enough) // 2 if is_bisecting else min(2 * too_few or 1, enough - 1)
            if search.keeps(decode_blocks(hasten(encode_blocks(search.best), index, middle))):
                enough, is_bisecting = middle, True
            else:
                too_few = middle
        if search.exhausted or search.learnt == learnt:  # otherwise the block's points are others now
            index += 1


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


def hasten(blocks: Blocks, index: int, count: int) -> Blocks:
    """Let a block pass only so many of its points, and its thread's next block the others.

    The values that threads read change with it, and so may the number of points on their way to their ends: each
    thread's last block gets as many as it may need.
    """
    name, passed = blocks[index]
    plenty = sum(points for _, points in blocks)
    owed, ended = passed - count, set[str]()
    later: list[tuple[str, int]] = []
    for at in range(len(blocks) - 1, index, -1):
        other, points = blocks[at]
        later.append((other, points if other in ended else points + plenty))
        ended.add(other)
    later.reverse()
    for at, (other, points) in enumerate(later):
        if other == name:
            later[at] = (name, points + owed)
            break
    return (*blocks[:index], (name, count), *later)


def draw_forward(blocks: Blocks, index: int) -> Blocks:
    """Let a block's thread go on at once with the steps of its next block."""
    name, count = blocks[index]
    for later in range(index + 1, len(blocks)):
        if blocks[later][0] == name:
            joined = (name, count + blocks[later][1])
            return (*blocks[:index], joined, *blocks[index + 1 : later], *blocks[later + 1 :])
    return blocks
