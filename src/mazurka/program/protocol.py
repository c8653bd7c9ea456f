"""The seam between programs and explorers.

An explorer hands a :class:`Plan` to a :class:`Program` and gets a :class:`Run` back. Both are plain data, so
that a run may as well happen in a forked child or on another machine.

A *point* is a place where the program stops and the scheduler chooses the next thread: before each operation on a
location that several threads touch, and before each operation that may block. A thread runs from one point up to
(not including) its next without interruption; its steps in between commute with all steps of the others:

- forking, and returning from a join whose thread has ended, need no point: they are moved as early as possible;
- releasing a lock needs one only if some thread tests a held lock (try-lock, ``locked()``);
- accesses at source *sites* that never touched a location two threads share need none. Which sites do is learnt;
  a run that finds a new one says so in :attr:`Run.found_new_points`, and an exhaustive search must then start again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from mazurka.lazy_dataclass import dataclass
from mazurka.program.guide import GuideStep
from mazurka.program.source_analysis import NothingKnown, SourceAnalysis
from mazurka.properties.reached import Reached
from mazurka.symbolic.values import InputBranch, PathCondition
from mazurka.trace.event import Location, Op
from mazurka.trace.ids import PointIndex, SiteNumber, StepIndex, ThreadIndex
from mazurka.trace.targets import Target


class Access(NamedTuple):
    """One further access of a step that touches several locations at once."""

    op: Op
    target: Target
    value: Any = None


class Step(NamedTuple):
    """One executed visible operation: the unit of a run's log.

    ``task`` indexes :attr:`Run.tasks`; ``site`` is a key of the program's site table (0: none); ``value`` is only
    filled in when the plan asked for detail; ``more`` holds the step's further accesses. ``point`` says that the
    scheduler could have let another thread go first. ``ok`` is false for an attempt that failed
    without taking effect (a try-lock on a held lock is a READ).
    """

    task: ThreadIndex
    op: Op
    target: Target
    site: SiteNumber
    point: bool
    value: Any = None
    more: tuple[Access, ...] = ()


class TailPolicy(Enum):
    """The tail policy: the choice of threads after a plan's prefix."""

    STAY = "stay"  # the running thread, until it blocks or sleeps; then the first (`values`: the next)
    EVEN = "even"  # the same, but of threads that are alike (Run.alike) an earlier one is never behind a later one
    RANDOM = "random"  # uniformly among the enabled
    PCT = "pct"  # the highest priority, with `changes` priority changes (Burckhardt et al., ASPLOS 2010)
    POS = "pos"  # as policy.PartialOrderSampling says
    SURW = "surw"  # as policy.SelectiveWalk says, with `focus` and `weights`
    GUIDED = "guided"  # as policy.Guided says, with `guide`


#: In a prefix, instead of a thread: n of these at its end stand for the n entries before them, repeated. If a plan ends
#: like that, its threads are known to go round in loops which they can't leave.
LASSO: Final = "again"

#: With :attr:`Plan.values`, the value of a step on a primitive that code makes which is not instrumented: the accesses
#: that the primitive orders are not seen.
OPAQUE: Final = ("opaque",)

#: The name of the uncontrolled event where other orders would have needed a timeout to fire early.
TIMEOUTS: Final = "orders in which a timeout fires"

#: How many points daemon threads may pass after all other threads have ended.
GRACE: Final = 200

#: The assumption of an execution that ended while daemon threads could have passed more.
OUTLIVING: Final = f"threads that the end does not wait for fail at their first {GRACE} points after it, or not at all"

#: How entries of :attr:`Run.untracked` begin that name code which threads enter and which is not instrumented.
ENTERED: Final = "entered but not explored: "


class KnownCall(NamedTuple):
    """A call: the thread that makes it, the type that specifies its object, the method, and the number of such calls
    that the thread has made before it since there was a second thread."""

    thread: str
    type_name: str
    method: str
    number: int


class OrderedCalls(NamedTuple):
    """Two calls of which the first is not to begin before the second has returned. With ``meets``, the second is not to
    begin before the first is about to begin."""

    first: KnownCall
    second: KnownCall
    meets: bool = False


class Plan(NamedTuple):
    """How one run is to go: at its n-th point thread ``prefix[n]`` moves, afterwards ``tail`` decides.

    ``prefix`` holds thread names, which mean the same thread in every run, and perhaps :data:`LASSO`.
    ``seed`` seeds every tail policy but STAY.
    ``strict`` makes a prefix that can't be followed end the run with :attr:`Run.divergence` set.
    ``detail`` records values, object names and stacks as a report needs them, at some cost. ``keys`` makes a step's
    value a key, equal only if the values are (None: unknown, or that of a read which is no point), and fills
    :attr:`Run.first`; ``values`` implies ``keys``, for all steps, and also records all that comparing states of threads
    needs. ``arguments`` has the values of all steps, too, and fills :attr:`Run.given`, at points where that is of use.
    ``inputs`` are values of unknown inputs, which go before those of the program; with ``drawn`` all others are drawn
    at random, by this number.
    ``orders_timeouts`` says that the strategy knows the meaning of a timeout that has fired. ``calls`` have to come in
    this order; :attr:`Run.returned` holds their results. ``relates`` fills :attr:`Run.alike`, and
    says that steps are known by their conflicts alone.
    """

    prefix: tuple[str, ...] = ()
    tail: TailPolicy = TailPolicy.STAY
    seed: int = 0
    changes: int = 2
    length: int = 100  # PCT: the number of points among which the changes are spread
    focus: int = 0  # SURW: the location whose operations count, by trace.fingerprints.fingerprint_of_name
    guide: tuple[GuideStep, ...] = ()  # GUIDED
    brief: bool = False  # GUIDED: soon after the guide has been followed the run ends
    weights: tuple[tuple[str, int], ...] = ()  # SURW: how many of these operations each thread has
    strict: bool = True
    detail: bool = False
    values: bool = False
    keys: bool = False
    arguments: bool = False
    timing: float | None = None
    orders_timeouts: bool = False
    calls: OrderedCalls | None = None
    inputs: tuple[tuple[str, int], ...] = ()
    drawn: int | None = None
    relates: bool = False


class FailureKind(Enum):
    """Kinds of failures; the values are the names in reports, schedules and suppressions."""

    EXCEPTION = "exception"
    ASSERTION = "assertion"
    DEADLOCK = "deadlock"
    BLOCKED = "blocked"  # some thread waits for ever although others finished: a lost wake-up
    LIVELOCK = "livelock"
    NONDETERMINISM = "nondeterminism"
    INVARIANT = "invariant"
    EXIT = "exit"
    RACE = "race"  # no failure of the program: reported on request only
    PROPERTY = "property"  # of the user, who names it: reports have its name in place of this one


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback, ours removed."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class BlockedThread:
    """A thread that can't go on: the event that it waits for, the thread that holds it up, and where each of them is
    stuck."""

    thread: str
    for_what: str
    held_by: str | None
    location: Location | None
    held_since: Location | None = None


def cycle_of(waiting: Sequence[BlockedThread]) -> tuple[BlockedThread, ...]:
    """Threads that wait for one another, in that order; none if there is no such cycle."""
    by_name = {each.thread: each for each in waiting}
    for start in waiting:
        path = [start]
        while (following := by_name.get(path[-1].held_by or "")) is not None:
            if following in path:
                return tuple(path[path.index(following) :])
            path.append(following)
    return ()


@dataclass(frozen=True, slots=True)
class MatchedEvent:
    """An event of a property's violation: its name, its objects, the thread, the step and the place."""

    event: str
    objects: tuple[str, ...]
    thread: str
    step: int
    location: Location | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of one run. Two failures with equal :attr:`identity` are the same bug."""

    kind: FailureKind
    message: str
    thread: str
    location: Location | None
    exception: str = ""  # the name of the exception's type
    frames: tuple[Frame, ...] = ()
    waiting: tuple[BlockedThread, ...] = ()
    behind: tuple[BlockedThread, ...] = ()  # of stuck daemons: threads that the end of the program waits for
    step: int = 0  # number of steps logged when the failure happened
    against: Location | None = None  # of a race: where the other access is
    adjacent: bool = True  # of a race: whether its accesses are, and may change places
    rule: str = ""  # of the violation of a property: its name
    events: tuple[MatchedEvent, ...] = ()  # ... and the events that make it up

    @property
    def kind_name(self) -> str:
        """The kind's name in reports, schedules and suppressions: for a property that of the property."""
        return self.rule or self.kind.value

    @property
    def is_race(self) -> bool:
        """Whether the failure is a data race: the run itself did not fail."""
        return self.kind is FailureKind.RACE

    @property
    def identity(self) -> tuple[str, ...]:
        """A key that is equal for all failures of one bug, whatever interleavings lead to them."""
        if self.waiting:
            return (self.kind.value, *sorted(f"{w.location} {w.held_since}" for w in self.waiting))
        if self.is_race:
            return (self.kind.value, *sorted((str(self.location), str(self.against))))
        if self.events:
            return (self.kind.value, self.rule, *sorted({f"{each.event} {each.location}" for each in self.events}))
        return (self.kind.value, self.exception, str(self.location))


@dataclass(frozen=True, slots=True)
class Blocked:
    """An operation a thread was stopped before when the run ended.

    ``repeats`` is set for a thread held in a loop whose passes change nothing: the targets that the passes read.
    ``point`` is that of the step that the operation would have been. ``wake`` is the wake-up that it reads if it ends
    a wait for a condition. ``never``: it comes from outside, as a timer that is due, and has not been possible before.
    """

    task: ThreadIndex
    op: Op
    target: Target
    site: SiteNumber
    repeats: tuple[Target, ...] | None = None
    point: bool = True
    wake: Target | None = None
    never: bool = False


class CountChange(NamedTuple):
    """A step changes a number that nobody looks at but threads that wait: it takes permits of a semaphore, waiting as
    long as it takes, or gives some back; or it changes the number of unfinished tasks of a queue, or waits for none."""

    target: Target
    change: int
    before: int
    has_bound: bool = False


class Choice(NamedTuple):
    """A decision at a point where several threads could move (task indexes, ascending)."""

    point: PointIndex  # of the step the choice led to
    chosen: ThreadIndex
    enabled: tuple[ThreadIndex, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where a run could not follow its prefix."""

    index: PointIndex  # of the prefix entry
    expected: str
    actual: str
    harmless: bool = False  # the thread was only prevented from repeating a loop pass that changes nothing
    waits: bool = False  # the thread exists, and can't move before other threads do


@dataclass(slots=True)
class Run:
    """The record of one execution."""

    tasks: list[str]
    log: list[Step]
    choices: list[Choice]
    failures: list[Failure] = field(default_factory=list)
    blocked: list[Blocked] = field(default_factory=list)
    divergence: Divergence | None = None
    found_new_points: bool = False
    truncated: str = ""  # why the run was cut short ("" if it was not)
    settled: bool = False  # values only: the run was ended since the threads left only went round in loops
    idle: bool = False  # it ended since no thread could move
    expired: int = 0  # waiting times that ran out
    nearest: float = float("inf")  # how near any clock came to the end of a waiting time, in seconds
    output: str = ""
    untracked: dict[str, int] = field(default_factory=dict)
    uncontrolled: dict[str, int] = field(default_factory=dict)
    has_children: bool = False  # other processes took part
    assumed: set[str] = field(default_factory=set)  # the assumptions of its outcome, in words
    names: dict[Target, str] = field(default_factory=dict)  # detail only: targets in words
    events: tuple[Any, ...] = ()  # of properties, if they are recorded: runtime.recorded_events
    reached: dict[str, Reached] = field(default_factory=dict)  # of properties that it is held to, by name
    first: dict[Target, Any] = field(default_factory=dict)  # keys only: the values of targets before a write
    given: dict[StepIndex, dict[str, Any]] = field(default_factory=dict)  # arguments only: its function's, if plain
    daemons: tuple[ThreadIndex, ...] = ()  # tasks that the end of the program does not wait for
    private: int = 0  # objects that only one thread had touched, at first or to the end; such accesses are not in `log`
    stacks: dict[StepIndex, tuple[Frame, ...]] = field(default_factory=dict)  # detail only: innermost frame last
    labels: dict[ThreadIndex, str] = field(default_factory=dict)  # task -> the name the program gave its thread
    result: Any = None  # the result of the user's end-of-run callback
    seconds: float = 0.0
    limited: bool = False  # some waits had time limits
    shortest: float = float("inf")  # the shortest of these limits, in seconds
    slept: float = 0.0  # the latest end of a sleep, in seconds since the start
    lag: float = 0.0  # for how long threads that could move were held up while others slept or waited, at most
    #: Steps ``n`` that add to an integer without showing it (its read; the write comes next); and ``~n`` for steps
    #: that add a key to a dictionary or a set, or remove one, append to a list, or write to a file.
    additions: Collection[int] = frozenset()
    count_changes: Mapping[int, CountChange] = field(default_factory=dict)  # relates only: by step
    unordered: Collection[int] = frozenset()  # steps that look at keys of a dictionary, but not at their order
    counted: Collection[int] = frozenset()  # steps that look at one list, but not at the order of its elements
    unseen: Collection[Target] = frozenset()  # locks taken with a limit, or by code that is not instrumented
    alike: Mapping[int, int] = field(
        default_factory=dict
    )  # relates only: tasks -> the last one before for the same call
    told_apart: Collection[int] = frozenset()  # tasks whose identity the program may have looked at
    ended: dict[StepIndex, float] = field(default_factory=dict)  # by step: seconds of its timeout or sleep
    #: Detail only: from a step on a thread runs this task of its event loop ("": none).
    lanes: tuple[tuple[StepIndex, ThreadIndex, str], ...] = ()
    has_loops: bool = False  # it ran event loops
    arrivals: Collection[ThreadIndex] = ()  # tasks that are no threads: timers of event loops that are due
    bounded: frozenset[StepIndex] = frozenset()  # with timing or detail: steps whose threads waited with a limit
    withheld: bool = False  # some sleeps and waits had to go on, by the plan's timing
    returned: tuple[str | None, str | None] | None = (
        None  # with calls: their results in this order; None: the order did not come about
    )
    again: int = 0  # of a livelock: so many last points repeat as many before them
    inputs: tuple[tuple[str, int], ...] = ()  # the unknown inputs that it asked for, by name, and their values in it
    conditions: tuple[
        PathCondition, ...
    ] = ()  # on these inputs: with others for which they are the same it does the same
    branches: tuple[InputBranch, ...] = ()  # the same, by the threads that met them

    def schedule(self) -> tuple[str, ...]:
        """The prefix that makes a plan repeat this run: the thread that moved at each point."""
        return folded(tuple(self.tasks[step.task] for step in self.log if step.point), self.again)

    def entries(self) -> Sequence[tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]]:
        """The steps as tuples of their fields, for searches that read the steps of every run."""
        return self.log

    def decisions(self) -> Sequence[tuple[int, int, tuple[int, ...]]]:
        """The choices as tuples of their fields."""
        return self.choices

    def passed(self) -> int:
        """How many points the run has passed."""
        return sum(step.point for step in self.log)


def folded(prefix: tuple[str, ...], again: int) -> tuple[str, ...]:
    """A prefix whose last ``again`` entries, which repeat as many before them, are written as :data:`LASSO`."""
    return (*prefix[: len(prefix) - again], *[LASSO] * again)


def unfolded(prefix: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The threads that a prefix stands for, and how many of the last are a repetition."""
    if not prefix or prefix[-1] != LASSO:
        return prefix, 0
    once = prefix[: prefix.index(LASSO)]
    again = len(prefix) - len(once)
    return once + once[-again:], again


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Facts about a prepared program for reports.

    ``isolation`` says how its executions get the state that they start from, ``sources`` are its modules with their
    files, ``untracked`` names the parts of it that no execution can track. ``assumption`` is the assumption of every
    verdict on it ("" for none). ``forkable`` says that a forked child has all of the program, ``judged_from_outside``
    that code outside of the program looks at the state each execution ends in. ``notes`` are for the reader of a
    report.
    """

    isolation: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    untracked: tuple[str, ...] = ()
    assumption: str = ""
    forkable: bool = True
    judged_from_outside: bool = False
    notes: tuple[str, ...] = ()


class Program(Protocol):
    """Something that can be run again and again, each time from the same state.

    All but running and naming it has a default, for those that inherit it.
    """

    #: The timing of plans which have none of their own.
    timing: float | None = None

    #: The values of unknown inputs, by name; those that are missing have their first values.
    inputs: Mapping[str, int] = MappingProxyType({})

    def prepare(self) -> None:
        """Get ready to run; further calls use the knowledge gained since the last one."""
        return

    @abstractmethod
    def execute(self, plan: Plan) -> Run:
        """Run once as planned."""

    @abstractmethod
    def identity(self) -> str:
        """A fingerprint of the program's source, so that a schedule is not replayed on another one."""

    def location(self, site: SiteNumber) -> Location | None:
        """The location of a step's site in the source; all other code takes a site for an opaque number."""
        return None

    def analysis(self) -> SourceAnalysis:
        """The analysis of its source."""
        return NothingKnown()

    def facts(self) -> ProgramFacts:
        """Facts for the report; the program must have been prepared."""
        return ProgramFacts()

    def require_included(self, names: tuple[str, ...]) -> None:
        """Raise :class:`~mazurka.errors.UsageError` if one of these names is that of no module that could be
        tracked."""
        return

    def without_threads(self) -> str | None:
        """Where no execution starts a thread: the target to check instead, in words ("" if none is known); None if the
        target is the whole program, so that its one execution is all there is."""
        return ""

    def close(self) -> None:
        """Release the resources that running needed (patches, children)."""
        return


class LearnedPoints(Protocol):
    """The sites known to need points, and the marks (negative) of kinds of operations that do. Runs add to them."""

    points: set[int]


@runtime_checkable
class Exports(Protocol):
    """A program whose failing executions can be written as programs of their own."""

    def exported(self, plan: Plan, failure: Failure) -> str:
        """The text of a program in C whose threads take their steps as in the execution by ``plan``, which fails.

        Raises :class:`~mazurka.errors.UsageError` if the execution can't be written so.
        """
        ...


@runtime_checkable
class LearnsPoints(Program, Protocol):
    """A program whose scheduling points are learnt from its runs, and can be taught."""

    learned: LearnedPoints

    def sites_of(self, file: str) -> Sequence[SiteNumber]:
        """The sites of a source file, in order; none if it is not loaded."""
        ...

    def site_of(self, file: str, number: int) -> SiteNumber:
        """The ``number``-th site (from 1) of a source file, which need not be loaded yet."""
        ...

    def sites_at(self, place: Location, name: str) -> frozenset[SiteNumber]:
        """The sites of accesses at a place: to a location of this name if there are any, otherwise all."""
        ...


def learned_points(program: Program) -> LearnedPoints:
    """The scheduling points that a program has learnt, to be read and changed."""
    return program.learned if isinstance(program, LearnsPoints) else _NothingLearned()


@dataclass(slots=True)
class _NothingLearned:
    """The learned points of a program that has all its scheduling points from the beginning."""

    points: set[int] = field(default_factory=set)
