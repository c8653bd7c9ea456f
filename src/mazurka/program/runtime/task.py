"""A thread of the program as the runtime knows it, the limits of a run, and the knowledge learnt from runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import field
from typing import Any, Final, Protocol

from greenlet import greenlet

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import Op
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import THREAD, Target

#: Marks in :attr:`Learned.points`: releases of locks, ends of threads, or looks at the clock are observable and so need
#: points. (-3 is CLEAR_POINTS, of conditions.py.)
RELEASE_POINTS: Final = -1
END_POINTS: Final = -2
#: ... the set of live threads is read, which starts and ends of threads change.
COUNT_POINTS: Final = -4
#: ... some lock is given back, or a condition notified, by a thread that does not have the lock.
MISUSE_POINTS: Final = -5
#: ... a key of a dictionary is stored by one thread, and comes or goes by another: a store reads whether it is there.
PRESENCE_POINTS: Final = -6
#: ... several threads look at the clock.
CLOCK_POINTS: Final = -7
#: ... names are looked at, and several threads make threads that get theirs by number.
NAME_POINTS: Final = -8
#: ... identifiers of several threads are looked at.
IDENT_POINTS: Final = -9
#: ... executors are to be run by CPython's own code, see primitives/executors.py.
POOL_POINTS: Final = -10
#: ... a property, an operator or the like starts the first thread, see rest.py.
START_POINTS: Final = -11
#: ... the generator that the functions of `random` share is seeded, or its state looked at, while threads run.
SEED_POINTS: Final = -12
#: ... times of records of `logging` may be looked at.
RECORD_POINTS: Final = -13
#: Set by a search, not learnt: looks at the clock order no threads, see workflows/clocks.py.
CLOCKS_APART: Final = -14
#: ... likewise: calls of marked objects are one step each, see python/invocations/.
CALLS_AS_STEPS: Final = -15
#: Learnt: objects in cycles end that the program refers to weakly; where the main thread is alone, the objects that it
#: still leads to have to be determined.
CYCLE_POINTS: Final = -16
#: ... callbacks are added to a running event loop without waking it, see outside/loops.py.
LOOP_POINTS: Final = -17
#: ... opening and closing descriptors: their numbers depend on the order.
TABLE_POINTS: Final = -18
#: ... weak sets to which threads add are looked at, see python/semantics/weak_registries.py.
REGISTRY_POINTS: Final = -19
#: ... a primitive of C is initialised or destroyed while other threads may use it.
LIFE_POINTS: Final = -20
#: ... appends of one value to a list are not ordered with accesses to it, see python/semantics/equal_appends.py.
APPEND_POINTS: Final = -21
#: ... a thread of C is cancelled that waits for a semaphore, or for another thread's end.
CANCEL_POINTS: Final = -22
#: ... functions to be called at the exit of a C program are added while threads run.
EXIT_POINTS: Final = -23
#: ... levels of `logging` are set while threads run, see outside/logging_state.py.
LEVEL_POINTS: Final = -25
#: ... the last thread of a C program calls functions at its end, since the main thread has left by pthread_exit.
LAST_POINTS: Final = -24
#: ... threads submit tasks to executors, which the end of the main thread shuts down.
SUBMIT_POINTS: Final = -26
#: ... code that is not instrumented has objects which only one other thread has touched: all accesses are logged.
PRIVATE_POINTS: Final = -27
#: ... tasks of executors have to wait for a free worker, see primitives/pools.py.
WORKER_POINTS: Final = -28


@dataclass(slots=True)
class Learned:
    """The knowledge of earlier runs about the program: the sites that need points. It only grows.

    ``forked_with`` are the points of the last run of this process that has passed its first fork, ``replaced`` the
    functions that it found replaced there, in words. Up to its first fork each run is the same, since there is no
    choice yet; so a run with the same points need not look again.
    """

    points: set[int] = field(default_factory=set)
    forked_with: set[int] | None = None
    replaced: tuple[str, ...] = ()

    def knows_start(self) -> bool:
        """Whether a run with the present points has passed its first fork."""
        return self.forked_with is self.points


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run is cut short: steps logged, loop passes without a step, wall-clock seconds. ``pause``: the seconds for
    which an event loop may be held up before a callback."""

    steps: int = 20_000
    passes: int = 1_000_000
    seconds: float = 60.0
    pause: float = 0.1


class Moved(Exception):
    """While a thread stood before an operation, other threads have moved."""


class Awaited(Protocol):
    """The primitive that a thread waits for, where it does not wait for another thread."""

    def describe(self) -> str:
        """The primitive in words, for the report of a thread that is stuck."""
        ...

    def holder(self) -> Task | None:
        """The one thread that can end the wait; None if it is not known, or if any thread may."""
        ...


# The state of threads that are in no loop; never changed.
_NO_LOOPS: Final[dict[tuple[int, int], Any]] = {}
_NO_STEPS: Final[list[tuple[Target, int]]] = []
_NOTHING_MADE: Final[dict[type, Any]] = {}


class Task:
    """A thread of the program under test."""

    # CPython keeps at most 30 attributes beside an object, and once there are more, makes a dictionary for each object
    # that gets one of them. Reading a default from the class takes several times as long as reading a slot.
    __slots__ = (
        *("arrives", "births", "body", "chosen", "clock", "clock_reads", "daemon", "deadline", "done", "doubts"),
        *("early", "effects", "entered", "greenlet", "guard", "held", "index", "keeps", "label", "leaves", "life"),
        *("lock_steps", "looked_for", "looks", "loops", "made", "name", "own", "own_lock", "passes", "pending"),
        *("point", "pool", "priority", "reads", "repeats", "repetition", "required", "silent", "sleeping", "starter"),
        *("thread", "timed_out", "turned", "unlogged", "unseen", "unseen_looks", "visits", "waiting_for", "wake"),
        "was_able",
    )

    def __init__(self, index: ThreadIndex, name: str, body: Callable[[], object], daemon: bool) -> None:
        self.index = index
        self.name = name
        self.label = ""
        self.life: Target = (THREAD, name)  # the target of its FORK, BEGIN, END and JOIN
        self.body = body
        self.thread: Any = None  # the program's own Thread object
        self.greenlet: greenlet = None  # type: ignore[assignment]  # set as soon as it is carried
        self.daemon = daemon  # as it was started
        self.required = not daemon  # the program does not end before it does
        self.births = 0
        self.was_able = False  # an arrival: it could have come since it waits
        self.arrives = False  # it is no thread of the program: its steps come from outside (outside/loops.py)
        self.starter: Task | None = None  # the task that runs it up to its first point
        self.done = False
        self.leaves = False  # it is about to end the process
        self.keeps = False  # its end has the program wait for daemons, too
        self.visits = 0  # entries into the runtime since it is being ended
        # The operation that it is stopped before.
        self.pending: tuple[Op, Target, int] | None = None
        self.point = False  # whether the pending operation is one
        self.guard: Callable[[], bool] | None = None  # the condition under which it can go on
        self.deadline: float | None = None  # the time on its own clock at which it stops waiting
        self.timed_out = False
        self.waiting_for: Awaited | Task | None = None
        self.wake: Target | None = None  # the wake-up that this operation reads, which ends a wait for a condition
        self.sleeping = False
        self.doubts = False  # the next step is reported again if other threads move before it (locations.perform)
        self.chosen = False  # ... and has been chosen: the thread stands before the step no more
        self.repeats: tuple[Target, ...] | None = None  # the reads of the iterations that it is held from repeating
        self.pool: Any = None  # the executor whose task it runs, see primitives/executors.py
        self.own_lock: Target | None = None  # that of this task's future
        self.priority = 0.0
        # Its clock.
        self.clock = 0.0
        self.held = False  # with timing: it could not move when it was last looked at
        self.early = 0.0  # by how much its sleep or wait, which has just ended, has outrun others
        self.clock_reads = 0  # looks at the clock since the thread last changed something
        self.looks = 0  # looks at the clock since there have been several threads
        self.unseen = 0  # looks at the clock whose times the program does not see
        self.unseen_looks = 0  # looks at the clock whose times the program does not see, since the last other one
        self.looked_for = 0.0  # seconds that have passed at looks at the clock, since these last took no time
        # Its loops.
        self.effects = 0  # steps with an effect on shared state, counted on request
        self.silent = 0  # further effects without a step
        self.unlogged = 0  # accesses of private objects, in loops
        self.own = 0  # private objects, so far
        self.made = _NOTHING_MADE  # by class: the objects that it has not touched yet, see private_objects.py
        self.entered = 0  # values: loops it has come to
        self.loops = _NO_LOOPS  # those that it is in; these three are made at its first one
        self.reads = _NO_STEPS
        self.lock_steps = _NO_STEPS  # in loops: effects that are undone, see step_metadata.py
        self.repetition: Any = None  # the pass that the present one repeats: its waiting times need not run out
        self.passes: Collection[Any] = ()  # values: states that passes of its loops began in
        self.turned = False  # others go first: its loop goes round (loops.py), with values in an earlier state

    def may_expire(self) -> bool:
        """Whether its waiting time, if it waits for a limited one, may run out."""
        return self.deadline is not None and (self.repeats is None or not self.repetition.holds())

    def polls(self) -> bool:
        """Whether it would only repeat itself, and is held; not while another thread has the lock that it needs."""
        awaited = self.waiting_for
        if self.repeats is None or (awaited is not None and not isinstance(awaited, Task) and awaited.holder()):
            return False
        return self.repetition is None or bool(self.repetition.holds())

    def is_idle(self) -> bool:
        """Whether it goes on only if other threads change something."""
        if self.repeats is not None and self.repetition is not None:
            return not self.repetition.is_over()
        return self.guard is not None and self.deadline is None and not self.guard()

    def begin_loop(self, key: tuple[int, int], loop: Any) -> None:
        """Note that the thread has come to a loop."""
        if self.loops is _NO_LOOPS:
            self.loops, self.reads, self.lock_steps = {}, [], []
        self.loops[key] = loop
