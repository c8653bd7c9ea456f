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
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from mazurka.program.guide import GuideStep
from mazurka.program.source_analysis import NothingKnown, SourceAnalysis
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
    RANDOM = "random"  # uniformly among the enabled
    PCT = "pct"  # the highest priority, with `changes` priority changes (Burckhardt et al., ASPLOS 2010)
    POS = "pos"  # as policy.PartialOrderSampling says
    SURW = "surw"  # as policy.SelectiveWalk says, with `focus` and `weights`
    GUIDED = "guided"  # as policy.Guided says, with `guide`


#: In a prefix, instead of a thread: so many of these at its end stand for as many entries before them, over again. Of a
#: plan that ends so it is known that the threads go round in loops which they can't leave.
LASSO: Final = "again"

#: With :attr:`Plan.values`, the value of a step on a primitive that code makes which is not instrumented: what it
#: guards, or hands over, is not seen.
OPAQUE: Final = ("opaque",)

#: The name of the uncontrolled event where other orders would have needed a timeout to fire early.
TIMEOUTS: Final = "orders in which a timeout fires"

#: How entries of :attr:`Run.untracked` begin that name code which threads enter and which is not instrumented.
ENTERED: Final = "entered but not explored: "


class KnownCall(NamedTuple):
    """A call: the thread that makes it, the type that specifies its object, and the method; and how many such calls by
    the thread come before it, since there was a second thread."""

    thread: str
    type_name: str
    method: str
    number: int


class OrderedCalls(NamedTuple):
    """Two calls of which the first is not to begin before the second has returned. ``meets``: nor the second before the
    first is about to begin."""

    first: KnownCall
    second: KnownCall
    meets: bool = False


class Plan(NamedTuple):
    """How one run is to go: at its n-th point thread ``prefix[n]`` moves, afterwards ``tail`` decides.

    ``prefix`` holds thread names, which mean the same thread in every run, and perhaps :data:`LASSO`.
    ``seed`` feeds all but STAY.
    ``strict`` makes a prefix that can't be followed end the run with :attr:`Run.divergence` set.
    ``detail`` records values, object names and stacks as a report needs them, at some cost. ``keys`` makes a step's
    value a key, equal only if the values are (None: unknown), and fills :attr:`Run.first`; ``values`` does so,
    too, and records all that comparing states of threads needs. ``arguments`` fills :attr:`Run.given`.
    ``orders_timeouts`` says that the strategy knows what it means that a timeout has fired. ``calls`` have to come in
    this order; :attr:`Run.returned` says what became of that.
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


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback, ours removed."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class BlockedThread:
    """A thread that can't go on: what for, held by whom, and where each of the two got stuck."""

    thread: str
    for_what: str
    held_by: str | None
    location: Location | None
    held_since: Location | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of one run. Two failures with equal :attr:`identity` are the same bug."""

    kind: FailureKind
    message: str
    thread: str
    location: Location | None
    exception: str = ""  # its type's name
    frames: tuple[Frame, ...] = ()
    waiting: tuple[BlockedThread, ...] = ()
    step: int = 0  # number of steps logged when it happened
    against: Location | None = None  # of a race: where the other access is

    @property
    def is_race(self) -> bool:
        """Whether it is a data race: nothing went wrong in the run."""
        return self.kind is FailureKind.RACE

    @property
    def identity(self) -> tuple[str, ...]:
        """Equal for the same bug met along different interleavings."""
        if self.waiting:
            return (self.kind.value, *sorted(f"{w.location} {w.held_since}" for w in self.waiting))
        if self.is_race:
            return (self.kind.value, *sorted((str(self.location), str(self.against))))
        return (self.kind.value, self.exception, str(self.location))


@dataclass(frozen=True, slots=True)
class Blocked:
    """An operation a thread was stopped before when the run ended.

    ``repeats`` is there for a thread held in a loop whose passes change nothing: the targets that they read. ``point``
    is as of the step it would have been.
    """

    task: ThreadIndex
    op: Op
    target: Target
    site: SiteNumber
    repeats: tuple[Target, ...] | None = None
    point: bool = True


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
    settled: bool = False  # values only: it was ended since those left only went round in loops
    expired: int = 0  # waiting times that ran out
    nearest: float = float("inf")  # how near any clock came to the end of a waiting time, in seconds
    output: str = ""
    untracked: dict[str, int] = field(default_factory=dict)
    uncontrolled: dict[str, int] = field(default_factory=dict)
    has_children: bool = False  # other processes took part
    assumed: set[str] = field(default_factory=set)  # the assumptions of its outcome, in words
    names: dict[Target, str] = field(default_factory=dict)  # detail only: targets in words
    first: dict[Target, Any] = field(default_factory=dict)  # keys only: the values of targets before a write
    given: dict[StepIndex, dict[str, Any]] = field(default_factory=dict)  # arguments only: its function's, if plain
    daemons: tuple[ThreadIndex, ...] = ()  # tasks that the end of the program does not wait for
    stacks: dict[StepIndex, tuple[Frame, ...]] = field(default_factory=dict)  # detail only: innermost frame last
    labels: dict[ThreadIndex, str] = field(default_factory=dict)  # task -> the name the program gave its thread
    result: Any = None  # the result of the user's end-of-run callback
    seconds: float = 0.0
    limited: bool = False  # some waits had time limits
    shortest: float = float("inf")  # the shortest of these limits, in seconds
    slept: float = 0.0  # the latest end of a sleep, in seconds since the start
    lag: float = 0.0  # for how long threads that could move were held up while others slept or waited, at most
    ended: dict[StepIndex, float] = field(default_factory=dict)  # by which a timeout fires, or a sleep outruns others
    bounded: frozenset[StepIndex] = frozenset()  # with timing: steps before which a thread waited with a time limit
    withheld: bool = False  # some sleeps and waits had to go on, by the plan's timing
    returned: tuple[str | None, str | None] | None = (
        None  # with calls: their results in this order; None: it did not come about
    )
    again: int = 0  # of a livelock: the last points that repeat as many before

    def schedule(self) -> tuple[str, ...]:
        """The prefix that makes a plan repeat this run: the thread that moved at each point."""
        return folded(tuple(self.tasks[step.task] for step in self.log if step.point), self.again)

    def passed(self) -> int:
        """How many points the run has passed."""
        return sum(step.point for step in self.log)


def folded(prefix: tuple[str, ...], again: int) -> tuple[str, ...]:
    """A prefix whose last entries are as many before them, over again."""
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
    files, ``untracked`` names what of it no execution can track. ``assumption`` is what every verdict on it takes for
    granted ("" for nothing). ``forkable`` says that a forked child has all of it, ``judged_from_outside`` that code
    outside of it looks at the state each execution ends in. ``notes`` are for the reader of a report.
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

    #: That of plans which have none of their own.
    timing: float | None = None

    def prepare(self) -> None:
        """Get ready to run; further calls take up knowledge gained since."""
        return

    @abstractmethod
    def execute(self, plan: Plan) -> Run:
        """Run once as planned."""

    @abstractmethod
    def identity(self) -> str:
        """A fingerprint of the program's source, so that a schedule is not replayed on another one."""

    def location(self, site: SiteNumber) -> Location | None:
        """Where a step's site, which is an opaque number to everybody else, is in the source."""
        return None

    def analysis(self) -> SourceAnalysis:
        """The analysis of its source."""
        return NothingKnown()

    def facts(self) -> ProgramFacts:
        """Facts for the report; the program must have been prepared."""
        return ProgramFacts()

    def require_included(self, names: tuple[str, ...]) -> None:
        """Raise :class:`~mazurka.errors.UsageError` if there is nothing of one of these names that could be tracked."""
        return

    def without_threads(self) -> str:
        """Where no execution starts a thread: the target to check instead, in words ("" if none is known)."""
        return ""

    def close(self) -> None:
        """Give back what running needed (patches, children)."""
        return


class LearnedPoints(Protocol):
    """The sites known to need points, and the marks (negative) of kinds of operations that do. Runs add to them."""

    points: set[int]


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
    """Of a program that has all its scheduling points from the beginning."""

    points: set[int] = field(default_factory=set)
