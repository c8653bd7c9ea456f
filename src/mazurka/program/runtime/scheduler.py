"""The scheduler: the next thread at each point of a run, by the plan's prefix, and afterwards by its tail policy.

A thread whose pending operation needs no point goes first, without a choice. Of the others, those are *enabled* whose
guard holds, and those whose waiting time runs out: it ends no later than any other, or the time at which an enabled
thread wakes up or could go on. If there are none, the run is over, or stuck.

With a plan's *timing* (:class:`TimedScheduler`) sleeps and waiting times end in the order of time, except that a thread
that can move may be held up for the time that the timing says. For this each thread's clock holds the earliest time
since which the thread could move.

Invariant: a choice depends on the plan, on the threads' pending operations and on their clocks, and on nothing else.

Cost: a third of a microsecond for each choice, and a tenth for each thread.
"""

from __future__ import annotations

import _random
import random
from collections import Counter
from collections.abc import Collection
from math import inf
from operator import attrgetter
from typing import Any, Final, Protocol

from mazurka.program.protocol import GRACE, LASSO, OUTLIVING, Divergence, Plan, TailPolicy, unfolded
from mazurka.program.runtime.policy import Pending, Policy, make_policy
from mazurka.program.runtime.task import Task
from mazurka.trace.ids import PointIndex

_STAY, _EVEN, _RANDOM = TailPolicy.STAY, TailPolicy.EVEN, TailPolicy.RANDOM


# One generator for all runs, seeded again by each: seeding one costs less than making one. The seeding is not
# `Random.seed`, which is replaced while programs run.
_generator: Final = random.Random()
_seed: Final = _random.Random.seed
draw: Final = _generator.random

#: Seconds by which clocks differ although no thread has slept or waited, since reading them takes time.
_GRAIN: Final = 1e-4

_index_of: Final = attrgetter("index")


def seed_draws(seed: int) -> None:
    """Let ``draw`` begin with the first number of a seed."""
    _seed(_generator, seed)


class Scheduled(Protocol):
    """The run whose threads a scheduler schedules, as the scheduler sees it."""

    current: Task
    live: list[Task]  # by index
    by_name: dict[str, Task]
    required: int  # threads that must end before the run does
    values: bool
    divergence: Divergence | None
    idle: bool  # as in Run, as `assumed` and `limited` are
    limited: bool
    log: list[Any]
    tasks: list[Task]
    alike: dict[int, int]  # as in Run
    is_left: bool  # a thread is about to end the process
    assumed: set[str]

    def let_pass(self) -> bool:
        """Let threads that are held before loops go on; false if there are none."""
        ...

    def get_stuck(self) -> None:
        """No thread can move: end the run as a deadlock."""
        ...

    def come_round(self, points: int) -> None:
        """The prefix is over, and its last ``points`` points are a lasso: end the run as a livelock."""
        ...


class Scheduler:
    """The scheduler of one run, with the choices made so far."""

    refused = False  # the prefix wanted a waiting time to run out early
    lag = 0.0  # as in Run
    timing = inf  # that of the plan
    withheld = False  # as in Run
    _grace = GRACE
    _drops: Collection[int] = ()

    def __init__(self, plan: Plan) -> None:
        prefix, self._again = unfolded(plan.prefix)
        self.prefix = (*prefix, LASSO) if self._again else prefix
        self.cursor = 0  # points passed
        self.choices: list[tuple[int, int, tuple[int, ...]]] = []  # as in Choice
        self._tail = plan.tail
        self._strict = plan.strict
        self.orders_timeouts = plan.orders_timeouts
        self._policy: Policy | None = None  # found faster here than in the class
        self._passed: Counter[int] | None = None  # with the tail EVEN: how many points each thread has passed
        if plan.tail is _STAY or plan.tail is _EVEN:
            return
        seed_draws(plan.seed)
        if plan.tail is TailPolicy.PCT:
            self._drops = set(_generator.sample(range(1, max(plan.length, plan.changes + 1) + 1), plan.changes))
        elif plan.tail is not _RANDOM:
            self._policy = make_policy(plan)

    def rank(self, task: Task) -> None:
        """Rank a new task."""
        if self._tail is not _STAY and self._tail is not _EVEN:
            task.priority = draw() + 1.0

    def note_woken(self, run: Scheduled) -> None:
        """The running thread's clock is about to advance: threads that it has let go on can go on from now on."""

    def wants(self, task: Task) -> bool:
        """Whether the prefix has this task move at the next point."""
        return self.cursor < len(self.prefix) and self.prefix[self.cursor] == task.name

    def is_past_prefix(self) -> bool:
        """Whether the tail policy decides from here on."""
        return self.cursor >= len(self.prefix)

    def choose(self, run: Scheduled) -> Task | None:  # noqa: C901  # asked at every point: each call counts
        """The task that moves now; None when no task can move, or need move."""
        enabled = []
        for task in run.live:
            guard = task.guard
            if guard is None or guard():
                if not task.point:
                    return task
                enabled.append(task)
        if not enabled and run.let_pass():
            return self.choose(run)
        overdue: list[Task] = []
        if run.limited:
            overdue = _overdue(run, enabled)
            for task in overdue:
                if not task.point:
                    task.timed_out = True
                    return task
            if overdue:
                enabled += overdue
                enabled.sort(key=_index_of)
        if not enabled:
            run.idle = True
            if run.required:
                run.get_stuck()
            return None
        if not run.required:  # daemons go on for a while, since their steps might have come before the end
            self._grace -= 1
            if self._grace < 0:
                run.assumed.add(OUTLIVING)
                return None
        able = enabled
        if run.is_left:
            enabled = _staying(run, enabled)
            if not enabled:
                return None
        cursor = self.cursor
        self.cursor = cursor + 1
        chosen: Task | None
        if cursor < len(self.prefix):
            chosen = self._follow(run, cursor, enabled)
        elif len(enabled) == 1 and self._policy is None:
            chosen = enabled[0]
            if self._passed is not None:
                self._passed[chosen.index] += 1
        elif self._tail is _RANDOM:  # as in _decide, repeated for speed: these are the tails of most plans
            chosen = enabled[int(draw() * len(enabled))]
        elif self._tail is _STAY:
            chosen = _stay(run, enabled)
        else:
            chosen = self._decide(run, enabled, cursor)
        if chosen is None:
            return None
        if overdue and chosen in overdue:
            chosen.timed_out = True
        if chosen.sleeping and len(able) > 1 and not chosen.arrives:
            self._outruns(chosen, chosen.clock, min([task.clock for task in able]))
        if len(enabled) > 1:
            self.choices.append((cursor, chosen.index, tuple(map(_index_of, enabled))))
        return chosen

    def _outruns(self, task: Task, end: float, earliest: float) -> None:
        """A sleep or wait ends at a time, though another thread could have moved from an earlier one on."""
        task.early = end - earliest if end - earliest > _GRAIN else 0.0
        self.lag = max(self.lag, task.early)

    def _follow(self, run: Scheduled, cursor: int, enabled: list[Task]) -> Task | None:
        name = self.prefix[cursor]
        if name == LASSO:
            run.come_round(self._again)
            return None
        task = run.by_name.get(name)
        if task is not None and not task.done:
            if task in enabled:
                return task
            self.refused = task.deadline is not None  # a timeout fires only when no thread can move
        if not self._strict:
            return self._decide(run, enabled, cursor)
        if task is None:
            actual = "it has not been started"
        elif task.done:
            actual = "it has ended"
        else:
            actual = f"it is blocked before {task.pending[0].name.lower() if task.pending else 'its start'}"
        harmless = task is not None and task.repeats is not None
        waits = task is not None and not task.done
        run.divergence = Divergence(PointIndex(cursor), f"thread {name} moves", actual, harmless, waits)
        return None

    def _decide(self, run: Scheduled, enabled: list[Task], cursor: int) -> Task | None:
        if self._tail is _STAY:
            return _stay(run, enabled)
        if self._tail is _EVEN:
            return self._evenly(run, enabled)
        if self._tail is _RANDOM:
            return enabled[int(draw() * len(enabled))]
        if self._policy is not None:
            index = self._policy.choose([_pending(task) for task in enabled])
            return None if index is None else enabled[index]
        chosen = max(enabled, key=lambda task: task.priority)
        if cursor in self._drops:
            chosen.priority = -float(cursor)
            chosen = max(enabled, key=lambda task: task.priority)
        return chosen

    def _evenly(self, run: Scheduled, enabled: list[Task]) -> Task:
        if self._passed is None:
            self._passed = Counter([entry[0] for entry in run.log if entry[4]])
        chosen = _stay(run, enabled)
        while (earlier := run.alike.get(chosen.index)) is not None:
            task = run.tasks[earlier]
            if task not in enabled or task.sleeping or self._passed[earlier] > self._passed[chosen.index]:
                break
            if task.pending != chosen.pending:
                break  # they are not level, and the thread may be in the midst of a critical section
            chosen = task
        self._passed[chosen.index] += 1
        return chosen


class TimedScheduler(Scheduler):
    """The scheduler of one run under a plan with ``timing``."""

    def __init__(self, plan: Plan, timing: float) -> None:
        super().__init__(plan)
        self.timing = timing
        self.rest = list(self.prefix) if not plan.strict else []  # of the prefix: threads whose turn has not come

    def note_woken(self, run: Scheduled) -> None:
        for task in run.live:
            if task.held and task.guard is not None and task.guard():
                task.held = False
                task.clock = max(task.clock, run.current.clock)

    def choose(self, run: Scheduled) -> Task | None:  # noqa: C901  # as above
        able: list[Task] = []
        waiting: list[Task] = []
        for task in run.live:
            if task.guard is None or task.guard():
                if task.held:
                    task.held = False
                    task.clock = max(task.clock, run.current.clock)
                if not task.point:
                    return task
                able.append(task)
            else:
                task.held = True
                if task.may_expire() and run.required:
                    waiting.append(task)
        if not able and not waiting:
            run.idle = True
            if run.required:
                run.get_stuck()
            return None
        if not run.required:
            self._grace -= 1
            if self._grace < 0:
                run.assumed.add(OUTLIVING)
                return None
        ends = {task: task.deadline or 0.0 for task in waiting}
        ends.update((task, task.clock) for task in able)
        earliest = min(ends.values())
        limit = earliest + self.timing + _GRAIN
        enabled = [task for task in able if not task.sleeping or task.clock <= limit]
        enabled += [task for task in waiting if ends[task] <= limit]
        enabled.sort(key=_index_of)
        self.withheld = self.withheld or len(enabled) < len(ends)
        if run.is_left:
            enabled = _staying(run, enabled)
            if not enabled:
                return None
        chosen = self._next(run, enabled, ends)
        if chosen is None:
            return None
        if chosen in waiting:
            chosen.timed_out = True
        if (chosen.sleeping and not chosen.arrives) or chosen.timed_out:
            self._outruns(chosen, ends[chosen], earliest)
        if len(enabled) > 1:
            self.choices.append((self.cursor - 1, chosen.index, tuple(map(_index_of, enabled))))
        return chosen

    def _next(self, run: Scheduled, enabled: list[Task], ends: dict[Task, float]) -> Task | None:
        cursor = self.cursor
        self.cursor = cursor + 1
        if self.rest:
            names = {task.name: task for task in enabled}
            for at, name in enumerate(self.rest):
                if name in names:
                    del self.rest[at]
                    return names[name]
        elif cursor < len(self.prefix) and self._strict:
            return self._follow(run, cursor, enabled)
        if self._tail is not _STAY:
            return self._decide(run, enabled, cursor)
        awake = [task for task in enabled if not task.sleeping and (task.guard is None or task.guard())]
        if run.current in awake:
            return run.current
        return awake[0] if awake else min(enabled, key=lambda task: (ends[task], task.index))


def _staying(run: Scheduled, enabled: list[Task]) -> list[Task]:
    """The enabled threads that are not about to end the process: the run ends when there are no more."""
    staying = [task for task in enabled if not task.leaves]
    run.idle = run.idle or not staying
    return staying


def _stay(run: Scheduled, enabled: list[Task]) -> Task:
    current = run.current
    if not current.turned and not current.sleeping and current in enabled:
        return current
    awake = [task for task in enabled if not task.sleeping]
    if not awake:
        return min(enabled, key=lambda task: task.clock)
    if not run.values and not current.turned:
        return awake[0]
    current.turned = False
    return min(awake, key=lambda task: (task.index <= current.index, task.index))


def _overdue(run: Scheduled, enabled: list[Task]) -> list[Task]:
    """The threads whose waiting times run out now: before any enabled thread wakes up or could go on, and at the same
    time as each other. At the end of the program, those of daemons that may have run out before it."""
    waiting = [task for task in run.live if task not in enabled and task.may_expire()]
    if not waiting:
        return []
    ends = [task.deadline or 0.0 for task in waiting]
    if enabled or run.required:
        limit = min([*ends, *[task.clock for task in enabled]])
    else:
        limit = max([task.clock for task in run.tasks if task.required])
    return [task for task, end in zip(waiting, ends, strict=True) if end <= limit + _GRAIN]


def _pending(task: Task) -> Pending:
    assert task.pending is not None
    return Pending(task.name, *task.pending)
