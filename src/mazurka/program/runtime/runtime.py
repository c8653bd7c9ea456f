"""The runtime: runs a program's threads one at a time and asks the scheduler, at each point, which one moves next.

Every thread of the program is a greenlet of one OS thread. A thread enters the runtime just before each visible
operation (:meth:`Runtime.visit`, :meth:`Runtime.block`); the runtime asks the :mod:`scheduler` which thread moves,
switches if need be, logs the step when the thread is chosen, and returns, so that the operation itself then happens
natively in the thread's own frame. :mod:`mazurka.program.protocol` defines points, and the operations that need none;
:mod:`sharing` learns which sites need one. Metadata of steps is kept in :mod:`step_metadata`, on request. The file is
long, so that the way of a thread from one operation to the next can be read in one place.

Invariants: exactly one thread is between two visible operations at any time (``current``); all the others are
stopped before one. ``log`` holds the steps in the order in which they took effect. A run depends on the plan and
the set of known points only.

Cost: a visit that is no point takes a third of a microsecond, one that is a point twice as much, a switch half a
microsecond; a thread, from its start to its end, five microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from time import perf_counter  # by name: the module's attributes are the program's virtual clock during a run
from types import MappingProxyType
from typing import Any, Final

from greenlet import GreenletExit, getcurrent, greenlet

from mazurka.program.protocol import Access, Blocked, CountChange, Divergence, Failure, Plan
from mazurka.program.runtime import greenlet_pool
from mazurka.program.runtime.scheduler import Scheduler, TimedScheduler
from mazurka.program.runtime.sharing import SHARED, Sharing
from mazurka.program.runtime.step_metadata import StepMetadata
from mazurka.program.runtime.task import (
    CLOCK_POINTS,
    CLOCKS_APART,
    COUNT_POINTS,
    END_POINTS,
    PRIVATE_POINTS,
    RELEASE_POINTS,
    Learned,
    Limits,
    Moved,
    Task,
)
from mazurka.symbolic.values import PathConditions
from mazurka.trace.event import WRITES, Op
from mazurka.trace.ids import SiteNumber, StepIndex, ThreadIndex
from mazurka.trace.targets import (
    CLOCK,
    DAEMONS,
    NOTHING,
    SLEEP,
    SPIN,
    THREADS,
    Kind,
    Target,
    is_only_content,
    of_kinds,
    started_by,
)

_FORK, _BEGIN, _END, _JOIN = Op.FORK, Op.BEGIN, Op.END, Op.JOIN
_READ: Final = Op.READ
_WRITE: Final = Op.WRITE
_COUNTED: Final = (Access(Op.RMW, THREADS),)

#: How often a thread that is being ended may enter the runtime before it is abandoned where it stands.
_PATIENCE: Final = 10_000

#: How many steps are logged between two looks at the time a run has taken.
_STRIDE: Final = 256

#: The seconds that one look at a clock adds to it, so that time never stands still.
TICK: Final = 1e-6

#: The number of looks, without a change between them or in all, after which a thread is taken to wait for time to pass.
_IDLE_LOOKS: Final = 32
_MANY_LOOKS: Final = 256

#: Seconds, since the first of such looks, at which the next ones are; then each is later by the last of these, or by a
#: part of the time that has passed if that is longer, but by no more than the longest. Most limits are such numbers.
_LOOKED_FOR: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
_PART, _LONGEST_LOOK = 16, 1e6

#: In a loop, one of so many accesses that are not logged is a step at a point: the loop may wait for other threads.
_MOST_UNLOGGED: Final = 20_000

#: In a run for a report so many steps show all accesses.
_MOST_SHOWN: Final = 20_000

_LIMITS: Final = Limits()

#: Operations whose locations are recorded by runs that compare threads' states: these identify deadlocks.
_WAITED_AT: Final = (Op.ACQUIRE, Op.JOIN)

#: Whether a location holds data that a thread may wait for until a timeout.
_holds_data: Final = of_kinds(Kind.CHANNEL, Kind.LOOP)
_is_wake: Final = of_kinds(Kind.WAKE)


def _looking(op: Op, target: Target) -> Op:
    """The operation, where a store may run code: which of two stores ends an object depends on their order."""
    return Op.RMW if op is _WRITE and is_only_content(target) else op


class Runtime:
    """One run of the program."""

    # In slots, which are read and written fastest: CPython keeps at most 30 other attributes beside an object, and once
    # any run has had more, makes dictionaries for all.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_failed",
        "_hub",
        "_look_at",
        "_started",
        "_unborn",
        "aborting",
        "accounts",
        "additions",
        "alike",
        "assumed",
        "by_name",
        "careful",
        "count_changes",
        "counted",
        "current",
        "detail",
        "failures",
        "finds_races",
        "has_ended",
        "idle",
        "is_left",
        "is_recording",
        "keyed",
        "keyed_at_points",
        "learned",
        "leaves_out_own",
        "leaves_out_private",
        "let_go",
        "limited",
        "limits",
        "lists_started",
        "live",
        "log",
        "names",
        "on_body_end",
        "points",
        "private",
        "relates",
        "replacing_runs_code",
        "required",
        "scheduler",
        "sharing",
        "solo",
        "tasks",
        "told_apart",
        "touched",
        "uncontrolled",
        "unordered",
        "unseen",
        "untracked",
        "values",
    )

    # Defaults that most runs keep.
    in_time = False  # the plan has a timing
    timed = False  # clocks have moved apart
    expired = 0  # waiting times that ran out
    nearest = inf  # as in Run
    clock = 0.0  # the last time that the clock showed
    divergence: Divergence | None = None
    truncated = ""
    passes = 0
    may_hold: bool | None = None  # a pass of a loop may wait for other threads (loops.py); None: that is not asked
    ends: Any = None  # see concurrency.py
    settled = False  # the threads left only go round in loops
    shortest = inf  # the shortest of these limits
    slept = 0.0  # the latest end of a sleep
    # As in Run; made when they are needed.
    bounded: set[StepIndex] = frozenset()  # type: ignore[assignment]
    ended: dict[StepIndex, float] = MappingProxyType({})  # type: ignore[assignment]
    again = 0  # of a livelock: so many last points repeat as many before them
    turns = 0  # values: so many passes in succession began as earlier ones did
    past = False  # values: those after the prefix
    blocked: list[Blocked]  # the pending operations of threads when the run ended
    on_stuck: Callable[[Runtime, list[Task]], Failure | None] = staticmethod(lambda runtime, tasks: None)
    on_round: Callable[[Runtime, int], Failure | None] = staticmethod(lambda runtime, points: None)
    on_error: Callable[[Runtime, Task, BaseException], Failure | None] = staticmethod(lambda runtime, task, error: None)
    on_use: Callable[[Runtime, Any], None] = staticmethod(lambda runtime, primitive: None)  # detail: names a primitive
    snapshot_stack: Callable[[], Any] = tuple
    arguments: Callable[[int], dict[str, Any]] | None = None  # keyed: by site, those of the running function, as keys
    is_opaque: Callable[[], bool] = staticmethod(lambda: False)  # values: whether code that is not instrumented steps
    whereabouts: Callable[[], int] = staticmethod(int)  # values: where the running thread is, as a site
    abandoned: tuple[greenlet, ...] = ()
    wait_loops: dict[int, Any]  # by thread: the loop that it stands before, see primitives/wait_loops.py

    accounts: StepMetadata  # of careful runs
    conditions: PathConditions | None = None  # on unknown inputs; None: there are none
    on_first_fork: Callable[[Runtime], object] | None = None  # called when there are several threads
    deciding = 0  # 1: the outcome of the next step is being decided
    has_loops = False  # as in Run
    lanes: list[tuple[StepIndex, ThreadIndex, str]] = []  # noqa: RUF012  # as in Run; made when it is needed
    running_loops: Mapping[int, Any] = MappingProxyType({})  # by thread: the event loop that it runs
    has_observers = False  # threads that were started before the check wait

    def __init__(self, plan: Plan, learned: Learned, limits: Limits = _LIMITS) -> None:
        self.scheduler = Scheduler(plan) if plan.timing is None else TimedScheduler(plan, plan.timing)
        self.learned = learned
        self.sharing = Sharing(learned.points)
        self.points = self.sharing.points  # these two are looked at in each visit
        self.touched = self.sharing.touched
        self.private = self.sharing.private.objects  # in hooks, too
        self.leaves_out_own = False  # of containers that only their function has
        self.leaves_out_private = False  # accesses of private objects are not logged
        self.limits = limits
        self.values = plan.values and not plan.detail
        self.keyed = self.values or plan.keys and not plan.detail  # values are recorded as keys
        self.detail = plan.detail or self.keyed  # values are recorded: in words, or else as keys
        self.keyed_at_points = self.keyed and not (self.values or plan.arguments)  # values read elsewhere are not
        if plan.timing is not None:
            self.in_time = True
        self.careful = False  # whether metadata of steps is kept beyond the log: values, clocks, reads of loops
        if self.detail or self.in_time:
            self.be_careful()
        self.current: Task = None  # type: ignore[assignment]  # set by run()
        self.tasks: list[Task] = []
        self.live: list[Task] = []
        self.by_name: dict[str, Task] = {}
        self.log: list[tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]] = []
        self.solo = True  # nothing has been forked yet, so nothing can interfere
        self.is_recording = False  # there is no scheduler, see recording/
        self.limited = False  # some waits had time limits
        self.aborting = False
        self.has_ended = False  # all threads have; `aborting` is set then, too
        self.idle = False  # it ended since no thread could move
        self.is_left = False  # a thread is about to end the process
        # The end of a thread says which threads it has started, for who waits for them, too.
        self.lists_started = False
        self.failures: list[Failure] = []
        self._failed: BaseException | None = None
        self.untracked: dict[str, int] = {}
        self.uncontrolled: dict[str, int] = {}
        self.assumed: set[str] = set()
        self.names: dict[Target, str] = {}
        self.additions: set[int] = set()  # as in Run, like the next three
        self.unordered: set[int] = set()
        self.counted: set[int] = set()
        self.count_changes: dict[int, CountChange] = {}
        self.unseen: set[Target] = set()
        self.relates = plan.relates
        self.wait_loops = {}
        self.alike: dict[int, int] = {}  # as in Run, like the next one
        self.told_apart: set[int] = set()
        self.required = 0  # threads that must end before the run does
        # Called in a process that the program forked.
        self.on_body_end: Callable[[BaseException | None], object] | None = None
        self.let_go: Callable[[Runtime], object] | None = None  # asked before each step, where ends of objects run code
        self.finds_races = False  # accesses without an order are failures
        self.replacing_runs_code = False  # a store may end the object that was there, and so run code of the program
        self._hub: greenlet = None  # type: ignore[assignment]  # set by run()
        self._unborn: Task | None = None  # the task that the hub is to make a worker for
        self._started = 0.0
        self._look_at = min(_STRIDE, limits.steps)  # the length of the log at which to look at the limits next

    def be_careful(self) -> None:
        """From now on keep metadata of steps beyond the log."""
        if not self.careful:
            self.careful = True
            self.accounts = StepMetadata()

    # -- running ------------------------------------------------------------------------------------------------

    def run(self, main: Callable[[], object]) -> None:
        """Run ``main`` as thread "0", and the threads that it starts; return when all threads that must end have
        ended."""
        self._hub = getcurrent()
        self._started = perf_counter()
        task = self._new_task("0", main, daemon=False)
        self.current = self._unborn = task
        task.pending = (Op.BEGIN, task.life, 0)
        try:
            while (born := self._unborn) is not None:
                self._unborn = None
                born.greenlet = greenlet_pool.take(self._hub) or greenlet_pool.make(self._hub)
                born.greenlet.switch(self._life, born)
        finally:
            for task in self.live:
                if task.may_expire():
                    self._come_near(task.deadline or 0.0)
            self.blocked = [
                Blocked(
                    task.index,
                    *task.pending[:2],
                    SiteNumber(task.pending[2]),
                    self._polled(task),
                    task.point,
                    task.wake,
                    task.arrives and not task.was_able,
                )
                for task in self.live
                if task.pending is not None and not task.done
            ]
            self.aborting = True
            if self.live:
                self._end_all()
            self.has_ended = True

    def _new_task(self, name: str, body: Callable[[], object], daemon: bool) -> Task:
        task = Task(ThreadIndex(len(self.tasks)), name, body, daemon)
        self.scheduler.rank(task)
        self.required += not daemon
        self.tasks.append(task)
        self.live.append(task)
        self.by_name[name] = task
        return task

    def _carry(self, task: Task) -> None:
        """Let a new task, which is ``current``, run up to its first point; then its starter goes on."""
        worker = greenlet_pool.take(self._hub)
        if worker is not None:
            task.greenlet = worker
            worker.switch(self._life, task)
        else:
            self._unborn = task
            self._hub.switch()

    def _life(self, task: Task) -> greenlet | None:  # noqa: C901  # called for each thread: each call counts
        """Run a task from its start to its end; returns the greenlet to go on next."""
        try:
            task.body()
            if self.detail:
                self.settle()  # or else values written last, and with them objects of the thread, would outlive it
            if self.on_body_end is not None:
                self.on_body_end(None)
        except GreenletExit:
            pass
        except BaseException as error:  # the exception that ended the thread is the finding
            if self.on_body_end is not None:
                self.on_body_end(error)
            if error is not self._failed:
                self.fail(error)
            self._failed = None
        if self.aborting:
            return None
        self.drain()
        if self.let_go is not None:
            self._let_go(task)
        point = END_POINTS in self.points and not self.solo
        if point:
            self._stop_before(task, _END, task.life, 0)
        more = _COUNTED if COUNT_POINTS in self.points else ()
        if task.births and task.index and self.lists_started:  # no thread waits for those that the main one has started
            names = " ".join([each.name for each in self.started_by(task)])
            more = (*more, Access(Op.WRITE, started_by(task.name), ("started", names) if self.keyed else None))
        if task.keeps:
            more = (*more, Access(Op.WRITE, DAEMONS))
        if self.careful:
            self._record(task, _END, task.life, 0, point, None, more)
        else:
            log = self.log
            log.append((task.index, _END, task.life, 0, point, None, more))
            if len(log) >= self._look_at:
                self._look_at_limits(len(log))
        task.done = True
        task.pending = None
        self.required -= task.required
        self.live.remove(task)
        task.thread = None  # objects that only the thread could reach go with it
        task.body = int
        task.greenlet = greenlet_pool.ENDED
        following, task.starter = task.starter, None
        if following is None:
            following = self.scheduler.choose(self)
        if following is None:
            return self._hub
        self.current = following
        return following.greenlet

    def fail(self, error: BaseException) -> None:
        """Note the failure for an exception that ends the running thread, which may still have steps to do: at the end
        of main the interpreter shows the exception, and then waits for threads."""
        self._failed = error
        self.note_failure(error)

    def note_failure(self, error: BaseException) -> None:
        """Note the failure for an exception of the running thread that nothing handles; the thread goes on."""
        if not self.aborting:
            failure = self.on_error(self, self.current, error)
            if failure is not None:
                self.failures.append(failure)

    def _polled(self, task: Task) -> tuple[Target, ...] | None:
        """The locations that a thread has read in steps and is held from reading again; None if it is not held."""
        if task.repeats is None or not task.polls():
            return None
        own = [entry for entry in self.log if entry[0] == task.index]
        touched = {target for entry in own for target in (entry[2], *[access.target for access in entry[6]])}
        return tuple([target for target in task.repeats if target in touched])

    def _end_all(self) -> None:
        """Unwind every thread that is still there; their `finally` blocks run, nothing is logged any more.

        What they do is no part of the execution, so nothing that is learnt or named untracked meanwhile counts: models
        are out of place, and code that they stand for would be taken for code that the program chose.
        """
        known, found_new, untracked = set(self.points), self.sharing.found_new_points, dict(self.untracked)
        self._unwind_all()
        self.points.intersection_update(known)
        self.sharing.found_new_points, self.untracked = found_new, untracked

    def _unwind_all(self) -> None:
        for task in list(self.live):
            self.current = task
            task.visits = 0
            if not task.greenlet:  # it has ended, or an interrupt came before it began
                continue
            task.greenlet.parent = getcurrent()
            task.greenlet.throw(GreenletExit)
            if not task.greenlet.dead:
                self.abandoned = (*self.abandoned, task.greenlet)

    def stop(self, reason: str = "") -> None:
        """End the run here and now, from inside a thread; never returns to the caller."""
        if len(self.live) > 1 or self.settled:
            self.sharing.learn_loop(self.log, self.current.index)
        if reason:
            self.truncated = reason
        self.aborting = True
        self._hub.switch()
        raise GreenletExit

    def leave_process(self) -> None:
        """The running thread ends the process here, and never returns to the caller.

        No other thread could notice that but by its own end; so each goes on as long as it can, as if the thread stood
        here until then, and no further step is left out. Time passes for them as beside any thread that can move.
        """
        task = self.current
        if not (self.solo or self.aborting or self.on_body_end):  # a forked process has no other threads
            self.is_left = task.leaves = True
            self._stop_before(task, Op.NOP, NOTHING, 0)
        self.stop()

    def leave_to_program(self) -> None:
        """The program is in a greenlet that it has made itself: cut the run there. Only its threads can be switched."""
        if not self.aborting:
            self.stop("the run was cut where the program switched to a greenlet of its own, which is not explored")

    def is_of_program(self, found: greenlet | None) -> bool:
        """Whether a greenlet is one that the program has made itself, in the thread of the operating system that makes
        the run."""
        if found is self._hub or any(each.greenlet is found for each in self.tasks):
            return False
        while found is not None and found is not self._hub:
            found = found.parent
        return found is not None

    def count_uncontrolled(self, name: str) -> None:
        """An operation is about to be carried out for real that no schedule decides.

        While threads that were started before the check wait, the run ends here: they might react to the operation.
        """
        self.uncontrolled[name] = self.uncontrolled.get(name, 0) + 1
        if self.has_observers and not self.aborting:
            self.stop(f"the run was cut at {name}: threads that were started before the check might act on it")

    # -- visible operations ---------------------------------------------------------------------------------------

    def visit(  # noqa: C901  # called before nearly every operation: each call in it counts
        self,
        op: Op,
        target: Target,
        site: int,
        value: Any = None,
        more: tuple[Access, ...] = (),
        point: bool | None = None,
    ) -> None:
        """Pass a visible operation that never blocks; on return the caller performs it.

        ``point`` decides whether other threads may go first; None leaves that to the knowledge about the site.
        """
        if self.solo:
            return
        task = self.current
        if self.aborting:
            self._unwind(task)
            return
        if self.let_go is not None:
            self._let_go(task)
        if self.replacing_runs_code:
            op = _looking(op, target)  # no `_replace`: code of `collections` may be instrumented
            more = tuple([Access(_looking(each.op, each.target), each.target, each.value) for each in more])
        if point is None:
            point = site in self.points
            index, touched = task.index, self.touched
            record = touched.get(target)
            if record is None and not self.private:  # as Sharing.touch
                touched[target] = self.sharing.first(index, op is not _READ and WRITES[op], site)
            elif record is SHARED:
                if not point:
                    self.sharing.learn((site,))
            elif (
                record is None
                or site not in record[2]
                or (record[0] != index and (op is not _READ or record[0] != -1))
                or not (op is _READ or record[1])
            ):
                self.sharing.touch(index, op, target, site, point)
            if more:
                for how, where, _ in more:
                    record = touched.get(where)
                    if record is None and not self.private:
                        touched[where] = self.sharing.first(index, how is not _READ and WRITES[how], site)
                    elif (
                        record is None or record[0] != index or site not in record[2] or not (how is _READ or record[1])
                    ):
                        self.sharing.touch(index, how, where, site, point)
        if point:
            if task.chosen:
                task.chosen = False
            elif task.doubts:
                self._stop_in_doubt(task, op, target, site)
            else:
                self._stop_before(task, op, target, site)
        task.doubts = False
        if self.careful:
            value = self.accounts.take(self, task, op, target, site, value, more)
        log = self.log  # the rest as in _record, which most steps would spend a tenth of their time to call
        log.append((task.index, op, target, site, point, value, more))
        if len(log) >= self._look_at:
            self._look_at_limits(len(log))

    def shows(self, site: int) -> bool:
        """Whether the value of a read at a site is recorded, in a run with ``detail``."""
        return not self.keyed_at_points or site in self.points

    def leave_out_private(self, own: bool) -> None:
        """The first thread is about to be started, and nothing needs all steps: from now on accesses of private objects
        are not logged, nor are (with ``own``) those of containers that the source shows to be a function's own."""
        self.leaves_out_private = type(self) is Runtime and PRIVATE_POINTS not in self.points
        self.leaves_out_own = own and self.leaves_out_private and not (self.detail and not self.keyed)

    def pass_privately(self, op: Op, target: Target, site: int, kind: type) -> bool:
        """Pass an access of an attribute of a private object of class ``kind``; false if it has to be a step. Hooks
        need not call this for accesses that lead from the object's set of accesses to the same or a known one, unless
        the thread is in a loop."""
        number, task = target[1], self.current
        known = self.private.get(number)
        if known is None or self.aborting or known.task is not task:
            return False
        if self.detail and not self.keyed and len(self.log) < _MOST_SHOWN:
            return False  # reports name objects by the accesses that led to them
        if site in self.points or known.kind is not kind or not self.leaves_out_private or (self.values and task.loops):
            self.sharing.publish(number)
            return False
        writes = op is not _READ
        self.sharing.private.add(number, known, writes, target[2], site)
        if writes:
            task.effects += 1
            task.clock_reads = 0
        if task.loops:
            if not writes:
                task.reads.append((target, self.accounts.versions.get(target, 0)))
            task.unlogged += 1
            if not task.unlogged % _MOST_UNLOGGED:
                self.visit(op, target, site, None, (), True)
        return True

    def widen(self, accesses: Iterable[Access]) -> bool:
        """Add accesses to the running thread's last step while the thread performs it; false if other orders of this
        step and steps of other threads are not explored."""
        log, task = self.log, self.current
        entry = log[-1]
        index, site, point = entry[0], entry[3], entry[4]
        if index != task.index or not (site or point):
            return False
        for access in accesses:
            self.sharing.touch(index, access.op, access.target, site, point or site in self.points)
        if self.careful:
            self.accounts.take_more(task, accesses)
        log[-1] = (*entry[:6], (*entry[6], *accesses))
        return True

    def _let_go(self, task: Task) -> None:
        """End the objects that only hooks still hold; code of the program that runs then makes steps of its own."""
        let_go, self.let_go = self.let_go, None
        doubts, chosen, task.doubts, task.chosen = task.doubts, task.chosen, False, False
        assert let_go is not None
        let_go(self)
        self.let_go, task.doubts, task.chosen = let_go, doubts, chosen

    def block(
        self,
        op: Op,
        target: Target,
        ready: Callable[[], bool],
        *,
        site: int = 0,
        waiting_for: Any = None,
        timeout: float | None = None,
        point: bool = True,
        more: tuple[Access, ...] = (),
        on_timeout: Op = Op.READ,
    ) -> bool:
        """Wait until ``ready()`` holds, then pass the operation; true, or false if ``timeout`` seconds ran out first.

        A wait that runs out is logged as ``on_timeout``: it saw the target and changed nothing.
        """
        task = self.current
        if self.aborting:
            raise GreenletExit
        if task.pool is not None and target != task.own_lock:
            task.pool.blocks(op, target, timeout is not None)
        if timeout is not None:
            self.limited = True
            if op is Op.ACQUIRE:
                self.unseen.add(target)
            if not self.solo:
                self.shortest = min(self.shortest, max(timeout, 0.0))
            task.deadline = task.clock + max(timeout, 0.0)
        if self.values and not site and op in _WAITED_AT:
            site = self.whereabouts()
        if self.detail and waiting_for is not None:
            self.on_use(self, waiting_for)
        point = point and not self.solo  # no other thread could go first, and the log has no such step
        if point or not ready():
            task.guard = ready
            task.waiting_for = waiting_for
            if more:
                task.wake = next((each.target for each in more if _is_wake(each.target)), None)
            if task.repetition is not None:
                self._hold_repetition(task)
            self._stop_before(task, op, target, site, point)
            task.guard = task.wake = task.repeats = None
        task.waiting_for = None
        if timeout is not None and not self._ends_in_time(task, op, timeout):
            if not self.solo:
                self._note_end(task, timeout)
                seen = tuple([Access(Op.READ, each.target) for each in more if _holds_data(each.target)])
                self._record(task, on_timeout, target, site, point, None, seen)
            return False
        if not self.solo:
            self._record(task, op, target, site, point, None, more)
        return True

    def _ends_in_time(self, task: Task, op: Op, timeout: float) -> bool:
        """A wait of the running thread with a time limit is over: whether it has not run out."""
        if task.repetition is not None and op is _READ and not task.timed_out:
            task.repetition = None  # it has been notified: the pass goes on in another way
        deadline, task.deadline = task.deadline, None
        if deadline is not None and not self.solo:
            self._come_near(deadline)
            if self.in_time or self.detail:
                self.bounded = self.bounded or set()
                self.bounded.add(StepIndex(len(self.log)))
        if not task.timed_out:
            return True
        task.timed_out = False
        self.timed = True
        self.be_careful()
        self.expired += 1
        if deadline is not None:
            task.clock = max(task.clock, deadline)
        return False

    def attempt(
        self,
        op: Op,
        target: Target,
        succeeds: Callable[[], bool],
        more: Sequence[Access] = (),
        look: Callable[[], Any] | None = None,
    ) -> bool:
        """Pass an operation that takes effect or fails at once; which of the two is decided when the thread moves.

        ``succeeds()`` decides, and may fill ``more``. A failed attempt is logged as a READ of the target. Either way a
        REQUEST says that the thread would not have waited: explorers must know that the attempt could have had the
        other outcome. ``look`` gives the value of the target for reports, if it has one.
        """
        task = self.current
        if self.aborting:
            self._unwind(task)
            return succeeds()
        if self.solo:
            return succeeds()
        site = self.whereabouts() if self.values and op in _WAITED_AT else 0
        self._stop_before(task, op, target, site)
        before = self.look_up(look) if look is not None and self.detail else None
        self.deciding = 1
        try:
            done = succeeds()
        finally:
            self.deciding = 0
        # A plain look or change does not wait under any circumstances, so there is nothing to mark.
        mark = () if op is Op.READ or op is Op.WRITE else (Access(Op.REQUEST, target),)
        value = None if done else before
        self._record(task, op if done else Op.READ, target, site, True, value, (*more, *mark) if done else mark)
        if done and look is not None and self.detail:
            self.record_first(target, before)
            self.accounts.unsettled.append((len(self.log) - 1, look))
        return done

    def fork(self, body: Callable[[], object], *, daemon: bool, thread: Any = None, label: str = "") -> Task:
        """Start a thread and run it up to its first point."""
        parent = self.current
        if self.aborting:
            raise GreenletExit
        parent.births += 1
        task = self._new_task(f"{parent.name}.{parent.births}", body, daemon)
        task.thread = thread
        task.label = label
        task.clock = parent.clock
        if self.solo:
            self.solo = False
            if self.on_first_fork is not None:
                self.on_first_fork(self)
            self.learned.forked_with = self.points
        if self.careful:
            self._record(parent, _FORK, task.life, 0, False, None, ())
            self._record(task, _BEGIN, task.life, 0, False, None, ())
        else:
            life, log = task.life, self.log
            log += ((parent.index, _FORK, life, 0, False, None, ()), (task.index, _BEGIN, life, 0, False, None, ()))
            if len(log) >= self._look_at:
                self._look_at_limits(len(log))
        task.starter = parent
        self.current = task
        self._carry(task)
        return task

    def relate(self, earlier: Task, task: Task) -> None:
        """A thread is like one that was started before it, as in :attr:`.Run.alike`."""
        self.alike[task.index] = earlier.index

    def tell_apart(self, task: Task) -> None:
        """The program is about to learn which thread this is."""
        self.told_apart.add(task.index)

    def started_by(self, task: Task) -> list[Task]:
        """The threads that a thread has started and the end of the program waits for, in the order of their starts."""
        started = [self.by_name[f"{task.name}.{number}"] for number in range(1, task.births + 1)]
        return [each for each in started if not each.daemon]

    def join(
        self, task: Task, timeout: float | None = None, waiting_for: Any = None, more: tuple[Access, ...] = ()
    ) -> bool:
        """Wait for ``task`` to end; false if the time ran out. A timeout is a point."""
        if timeout is not None:
            if self.in_time:
                self.need_points(END_POINTS)
            return self.block(_JOIN, task.life, lambda: task.done, timeout=timeout, waiting_for=waiting_for)
        if task.done and not (self.careful or self.aborting or self.solo):
            self._record(self.current, _JOIN, task.life, 0, False, None, more)
            return True
        return self.block(_JOIN, task.life, lambda: task.done, waiting_for=waiting_for, point=False, more=more)

    def sleep(self, seconds: float, site: int = 0) -> None:
        """Let virtual time pass: no ordering follows from it, but by default the others go first."""
        if self.aborting:
            raise GreenletExit
        if self.current.pool is not None:
            self.current.pool.waits()
        self._let_pass(max(seconds, 0.0) + TICK, SLEEP, seconds, site)

    def _let_pass(self, seconds: float, target: Target, slept: float, site: int = 0) -> None:
        """Advance the running thread's clock; that it goes on then is a step, after ``slept`` seconds in all."""
        task = self.current
        self.scheduler.note_woken(self)
        task.clock += seconds
        if self.solo or self.aborting:
            return
        self.timed = True
        self.slept = max(self.slept, task.clock)
        self.be_careful()
        task.sleeping = True
        if task.repetition is not None:
            self._hold_repetition(task)
        self._stop_before(task, Op.SLEEP, target, site)
        task.guard = task.repeats = None
        if task.early:
            self._note_end(task, slept)
        self._record(task, Op.SLEEP, target, site, True, None, ())

    def _hold_repetition(self, task: Task) -> None:
        """The running thread is about to sleep or wait in a pass that would repeat the last one: hold it."""
        repetition, ready = task.repetition, task.guard
        if repetition.goes_on():
            task.repeats = repetition.reads
            if task.deadline is None:
                task.guard = lambda: not repetition.holds() and (ready is None or ready())

    def _come_near(self, deadline: float) -> None:
        """A wait is over that would have run out at ``deadline``: keep how near any clock came to such a time."""
        self.nearest = min(self.nearest, deadline - max([task.clock for task in self.tasks if not task.arrives]))

    def _note_end(self, task: Task, seconds: float) -> None:
        """A sleep, or a wait with a time limit, has ended: the next step records it."""
        task.early = 0.0
        self.ended = self.ended or {}
        self.ended[StepIndex(len(self.log))] = seconds

    def now(self, shown: bool = True) -> float:
        """Seconds on the clock. A thread that looks again and again waits for time to pass: its looks are sleeps.

        Where several threads look, each look is a step, since it shows no less than the one before it. ``shown`` says
        that the program sees the time: otherwise, or if the search leaves out the orders of looks, the time is that of
        the running thread.
        """
        task = self.current
        seen, shown = shown, shown and CLOCKS_APART not in self.points
        if task.pool is not None:
            task.pool.waits()
        self.be_careful()
        self._count_look(task, seen)
        if shown and not self.solo:
            point = CLOCK_POINTS in self.points
            if not point:
                self.sharing.touch(task.index, Op.RMW, CLOCK, CLOCK_POINTS, False)
            self.visit(Op.RMW, CLOCK, 0, point=point)
        task.silent += seen
        task.unseen += not seen
        task.clock = max(task.clock, self.clock if shown else 0.0) + TICK
        if shown:
            self.clock = task.clock
        return task.clock

    def _count_look(self, task: Task, seen: bool) -> None:
        """Before a look of the running thread at the clock: let time pass, if the thread waits for that.

        Such looks take longer and longer, or else loops that wait for long would make too many. Those that are not
        ``seen`` by the program take no time between others: nothing may happen before the program looks again.
        """
        idle = task.clock_reads >= _IDLE_LOOKS
        task.clock_reads += 1
        task.looks += not self.solo
        task.unseen_looks = 0 if seen else task.unseen_looks + 1
        if not idle and task.looks < _MANY_LOOKS:
            task.looked_for = 0.0
            return
        if not seen and task.unseen_looks < _IDLE_LOOKS:
            return
        passed = task.looked_for
        task.looked_for = min(
            _next_look(passed, idle), self.scheduler.timing if passed < self.scheduler.timing else inf
        )
        self._let_pass(task.looked_for - passed, CLOCK, task.looked_for)

    def pause(self, changed: Callable[[], bool], reads: tuple[Target, ...]) -> None:
        """Hold the running thread, which would only repeat itself, until ``changed()`` holds for the locations that it
        ``reads``."""
        task = self.current
        if task.pool is not None:
            task.pool.waits()
        # The learner of thread models may need another iteration nevertheless.
        task.guard = (lambda: self.scheduler.wants(task) or changed()) if self.values else changed
        task.repeats, task.repetition = reads, None
        pending = task.pending
        op, target, site = pending if pending is not None else (Op.SPIN, SPIN, 0)
        self._stop_before(task, op, target, site, point=False)
        task.guard = None
        task.repeats = None

    def enter_lane(self, name: str) -> None:
        """Detail: the running thread goes on with this task of its event loop."""
        if self.detail:
            self.lanes = [*self.lanes, (StepIndex(len(self.log)), self.current.index, name)]

    def place(self) -> tuple[int, int] | None:
        """The index of the running thread, and the number of steps before its present doing; None while the
        threads that are left are unwound."""
        return None if self.aborting else (self.current.index, len(self.log) + self.deciding)

    def drain(self, site: int = 0) -> None:
        """Wait until the running thread's stores have reached memory; here every store reaches it at once."""

    def hold_back(self, place: Any, ordered: bool = False) -> None:
        """Note where the next store of the running thread will be, if other threads may see it later."""

    def need_points(self, mark: int) -> None:
        """A thread has read state that a release (or the end of a thread) changes: from now on releases (or ends) need
        points."""
        if not self.solo:
            self.sharing.learn((mark,))

    def release(self, target: Target, site: int = 0, more: tuple[Access, ...] = ()) -> None:
        """Pass the release of a lock."""
        self.visit(Op.RELEASE, target, site, None, more, point=RELEASE_POINTS in self.points)

    # -- deciding ---------------------------------------------------------------------------------------------------

    def _stop_before(self, task: Task, op: Op, target: Target, site: int, point: bool = True) -> None:
        """Hold ``task`` before an operation until it is chosen."""
        if self.detail:
            self.settle()
        if getcurrent() is not task.greenlet:
            self.leave_to_program()
        task.pending = (op, target, site)
        task.point = point
        starter = task.starter
        if starter is not None:
            task.starter = None
            self.current = starter
            starter.greenlet.switch()
        else:
            nxt = self.scheduler.choose(self)
            if nxt is None:
                self.aborting = True
                self._hub.switch()
            elif nxt is not task:
                self.current = nxt
                nxt.greenlet.switch()
        if self.aborting:
            raise GreenletExit
        task.sleeping = False

    def _stop_in_doubt(self, task: Task, op: Op, target: Target, site: int) -> None:
        """Hold ``task`` before an operation on containers, which may have become another operation meanwhile."""
        task.doubts = False
        length = len(self.log)
        self._stop_before(task, op, target, site)
        if len(self.log) != length:
            raise Moved

    def let_pass(self) -> bool:
        """Let threads that stand before loops which would wait again do so; false if there are none."""
        standing = [loop for loop in self.wait_loops.values() if loop.is_held()]
        for loop in standing:
            loop.give_up()
        return bool(standing)

    def get_stuck(self) -> None:
        """No thread can go on, though one must."""
        failure = self.on_stuck(self, list(self.live))
        if failure is not None:
            self.failures.append(failure)

    # -- logging ------------------------------------------------------------------------------------------------------

    def _record(
        self, task: Task, op: Op, target: Target, site: int, point: bool, value: Any, more: tuple[Access, ...]
    ) -> None:
        if self.careful:
            value = self.accounts.take(self, task, op, target, site, value, more)
        log = self.log
        log.append((task.index, op, target, site, point, value, more))
        if len(log) >= self._look_at:
            self._look_at_limits(len(log))

    def record_value(self, value: object, *, whole: bool = False) -> None:
        """Detail: record the value of a primitive after the running thread's last step; ``whole``: the value is all of
        its state. Keys are recorded of whole values only."""
        if self.detail and not self.solo and not self.aborting and (whole or not self.keyed):
            self.accounts.record_value(self, value)

    def record_first(self, target: Target, value: Any) -> None:
        """Keys: keep the value that a target has before the running thread's last step writes it."""
        if self.keyed:
            self.accounts.first.setdefault(target, value)

    def settle(self) -> None:
        """Detail: look up the values that operations since performed have written."""
        if self.detail and self.accounts.unsettled:
            self.accounts.settle(self)

    def begin_section(self, lock: Target) -> None:
        """The running thread has taken a lock under which code that makes no steps reads and writes an object."""
        if self.careful and not self.solo:
            self.accounts.begin_section(self.current, lock)

    def look_up(self, value: Callable[[], Any]) -> Any:
        """Detail: a value for the report. Code that runs to find it (a key's hash) is no part of the run."""
        solo, self.solo = self.solo, True
        try:
            return value()
        finally:
            self.solo = solo

    # -- limits -------------------------------------------------------------------------------------------------------

    def _look_at_limits(self, count: int) -> None:
        if count >= self.limits.steps:
            self._cut(f"the run was cut after {count} steps")
        elif perf_counter() - self._started > self.limits.seconds:
            self._cut(f"the run was cut after {self.limits.seconds:g} seconds")
        self._look_at = min(count + _STRIDE, self.limits.steps)

    def interrupt(self) -> None:
        """Cut the run at its next step or pass; may be called at any moment."""
        self.limits = Limits(steps=0, passes=0, seconds=0.0)
        self._look_at = 0

    def passed_loop(self) -> None:
        """Count a pass through a loop, so that one that does nothing visible can't hang the run."""
        self.passes += 1
        if self.passes >= self.limits.passes:
            self._cut(f"the run was cut after {self.passes} passes through loops")
        elif not self.passes & 4095 and perf_counter() - self._started > self.limits.seconds:
            self._cut(f"the run was cut after {self.limits.seconds:g} seconds")

    def _cut(self, reason: str) -> None:
        if self.aborting:
            self._unwind(self.current)
        else:
            self.stop(reason)

    def come_round(self, points: int) -> None:
        """The prefix has ended with the second iteration of a cycle through loops that no thread can leave."""
        self.settled = True
        failure = self.on_round(self, points)
        if failure is not None:
            self.failures.append(failure)
            self.again = points

    def _unwind(self, task: Task) -> None:
        """A thread that is being ended enters the runtime: let it clean up, but not for ever."""
        task.visits += 1
        if task.visits > _PATIENCE:
            self.abandon()

    def abandon(self) -> None:
        """Leave the running thread, which won't end, where it stands."""
        self._hub.switch()
        raise GreenletExit


def _next_look(passed: float, idle: bool) -> float:
    """When a thread looks at the clock next that has looked at it for ``passed`` seconds; ``idle``: with no change."""
    step = _LOOKED_FOR[-1]
    if passed < step:
        return next(each for each in _LOOKED_FOR if each > passed)
    steps = int(min(passed, _LONGEST_LOOK * _PART) / _PART / step) if idle else 1
    return passed + max(steps, 1) * step
