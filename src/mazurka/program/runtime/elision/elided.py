"""An elided execution: its steps are found in the histories of threads (:mod:`.histories`), and nothing is executed.

The scheduler's decisions are those of :class:`mazurka.program.runtime.scheduler.Scheduler`, by the same random numbers.
So the record is the one that the execution would have had. An execution is not elided if it comes to a step that is not
known, can't follow its plan, or would end with threads that wait for ever.

Cost: half a microsecond a step, one a choice.
"""

from __future__ import annotations

from typing import Final

from mazurka.program.protocol import GRACE, OUTLIVING, Blocked, Plan, Run, TailPolicy
from mazurka.program.runtime.elision.histories import (
    ALWAYS,
    FREE,
    WHEN_FREE,
    Entry,
    Histories,
    HistoryNode,
    StartedThread,
)
from mazurka.program.runtime.lazy_run import LazyRun
from mazurka.program.runtime.scheduler import draw, seed_draws
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, ThreadIndex

#: Executions of more steps are not elided.
LONGEST: Final = 2_000

_STAY, _RANDOM = TailPolicy.STAY, TailPolicy.RANDOM


def can_elide(plan: Plan) -> bool:
    """Whether an execution by a plan consists of steps and choices only."""
    return (plan.tail is _STAY or plan.tail is _RANDOM) and not (
        plan.detail
        or plan.values
        or plan.keys
        or plan.arguments
        or plan.inputs
        or plan.timing is not None
        or plan.calls
    )


class Elider:
    """Derives executions from histories. All begin alike, up to the first choice, which is derived once."""

    def __init__(self, histories: Histories) -> None:
        self._histories = histories
        self._beginning: _Progress | None = None  # before the first choice

    def execute(self, plan: Plan) -> Run | None:
        """The record of the execution by a plan of which :func:`can_elide` holds; None if it has to be executed."""
        if self._beginning is None:
            beginning = _Progress(self._histories)
            if not beginning.go_on(0, has_stopped=False):
                return None
            self._beginning = beginning
        progress = self._beginning.copy()
        return progress.record() if progress.follow(plan) else None


class _Progress:
    """An execution as far as it has come. Threads are known by their indexes; of each, ``nodes`` has its history."""

    __slots__ = (
        *("choices", "current", "daemons", "ended", "histories", "idle", "labels", "live", "log", "names", "nodes"),
        *("required", "states"),
    )

    def __init__(self, histories: Histories) -> None:
        self.histories = histories
        self.nodes: list[HistoryNode] = [histories.roots["0"]]
        self.names = ["0"]
        self.live = [0]
        self.required = 1  # threads that must end before the execution does
        self.daemons: list[int] = []
        self.idle = True  # whether it has ended since no thread could move
        self.labels: dict[ThreadIndex, str] = {}
        self.states = histories.initial.copy()  # by place
        self.ended: set[int] = set()  # the places of threads that have ended
        self.log: list[Entry] = []
        self.choices: list[tuple[int, int, tuple[int, ...]]] = []
        self.current = 0

    def copy(self) -> _Progress:
        """The same execution, to be continued in another way."""
        made = _Progress.__new__(_Progress)
        made.histories, made.current, made.required = self.histories, self.current, self.required
        made.nodes, made.names, made.live = self.nodes.copy(), self.names.copy(), self.live.copy()
        made.idle = True
        made.daemons, made.labels = self.daemons.copy(), self.labels.copy()
        states, initial = self.states.copy(), self.histories.initial
        if len(states) < len(initial):
            states += initial[len(states) :]
        made.states, made.ended, made.log, made.choices = states, self.ended.copy(), self.log.copy(), []
        return made

    def follow(self, plan: Plan) -> bool:
        """Go on to the end by a plan; false if some step is not known, or can't be made."""
        is_random = plan.tail is _RANDOM
        if is_random:
            seed_draws(plan.seed)
        cursor, grace, ranked = 0, GRACE, 0
        while True:
            while is_random and ranked < len(self.names):  # each new thread is given a priority
                draw()
                ranked += 1
            enabled, task = self._movable()
            if task < 0:
                if not enabled:
                    return not self.required
                if not self.required:
                    grace -= 1
                    if grace < 0:
                        self.idle = False
                        return True
                task = self._choose(plan, cursor, enabled)
                if task < 0:
                    return False
                if len(enabled) > 1:
                    self.choices.append((cursor, task, tuple(enabled)))
                cursor += 1
            if not self.go_on(task, has_stopped=True) or len(self.log) > LONGEST:
                return False

    def _movable(self) -> tuple[list[int], int]:
        """The threads that are enabled; and one that can go on without a choice, -1 if there is none."""
        nodes, states, enabled = self.nodes, self.states, []
        for task in self.live:
            node = nodes[task]
            if node.waits == ALWAYS or (node.waits == WHEN_FREE and states[node.place] == FREE):
                enabled.append(task)
            elif node.waits != WHEN_FREE and node.place in self.ended:
                return enabled, task  # it has waited for another thread's end
        return enabled, -1

    def _choose(self, plan: Plan, cursor: int, enabled: list[int]) -> int:
        """The thread that moves at a point; -1 if the plan wants one that can't."""
        if cursor < len(plan.prefix):
            name = plan.prefix[cursor]
            task = self.names.index(name) if name in self.names else -1
            return task if task in enabled else -1
        if len(enabled) == 1:
            return enabled[0]
        if plan.tail is _RANDOM:
            return enabled[int(draw() * len(enabled))]
        return self.current if self.current in enabled else enabled[0]

    def go_on(self, task: int, *, has_stopped: bool) -> bool:
        """Let a thread move, with those that it starts, until all of them stand before points, wait, or have ended;
        false if a step is not known."""
        nodes, states, ended, append = self.nodes, self.states, self.ended, self.log.append
        starters: list[int] = []
        while True:
            node = nodes[task]
            while True:
                if not has_stopped and (node.point or (node.waits != ALWAYS and node.place not in ended)):
                    nodes[task] = node
                    break
                has_stopped = False
                if node.places:
                    edge = node.edges.get(tuple([states[place] for place in node.places]))
                else:
                    edge = node.edges.get(states[node.place] if node.place >= 0 else 0)
                if edge is None or (edge.looks and not self._is_alone(task)):
                    return False
                entry = edge.entry
                append(entry if entry[0] == task else (task, *entry[1:]))
                for place, state in edge.writes:
                    states[place] = state
                following, started = edge.following, edge.started
                if following is None:
                    self._end(task, edge.writes[0][0])
                    break
                node = following
                if started is not None:
                    nodes[task] = node
                    starters.append(task)
                    task = self._start(started)
                    node = nodes[task]
            if not starters:
                self.current = task
                return True
            task = starters.pop()

    def _start(self, started: StartedThread) -> int:
        """A thread begins; returns its index."""
        task = len(self.names)
        self.names.append(started.name)
        self.nodes.append(self.histories.roots[started.name])
        self.live.append(task)
        if started.daemon:
            self.daemons.append(task)
        else:
            self.required += 1
        if started.label:
            self.labels[ThreadIndex(task)] = started.label
        return task

    def _end(self, task: int, place: int) -> None:
        self.ended.add(place)
        self.required -= task not in self.daemons
        self.live.remove(task)

    def _is_alone(self, task: int) -> bool:
        """Whether a thread has joined all others, or others that have, so that none of them may use a primitive that it
        ends."""
        joined = [task]
        for each in joined:
            for entry in self.log:
                if entry[1] is Op.JOIN and entry[0] == each and (ended := self.names.index(entry[2][1])) not in joined:
                    joined.append(ended)
        return len(joined) == len(self.names)

    def record(self) -> Run:
        """The record of the execution, which has ended."""
        run = LazyRun(self.names, self.log, self.choices)
        run.failures = []
        run.blocked = [
            Blocked(ThreadIndex(task), op, target, SiteNumber(site), None, node.point)
            for task in self.live
            if (node := self.nodes[task]).pending is not None
            for op, target, site in (node.pending,)
        ]
        run.untracked, run.uncontrolled, run.names = {}, {}, {}
        run.idle, run.assumed = self.idle, set() if self.idle else {OUTLIVING}
        run.daemons = tuple(map(ThreadIndex, self.daemons))
        run.labels = self.labels
        return run
