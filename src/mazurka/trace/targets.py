"""The targets of operations: the closed set of their kinds, and the properties of each.

A target is a tuple. Its first component, the *tag*, is its kind; the others distinguish targets of the kind:
``(ATTRIBUTE, 17, "balance")``. The same kinds are used in executions, in recordings and in traces that are read;
:class:`Kind` is the one table of their properties. Code that distinguishes targets calls :func:`kind_of`, or one of the
predicates below, and never looks at the tag.

Tags are plain texts, and stable: they are part of trace files, of fingerprints (by ``repr``) and of saved searches.
Executions have short ones for the most frequent targets. A tag that is not in the table, which only traces from
elsewhere have, stands for a variable.

Cost: making a target is making a tuple; a predicate takes less than 0.1 microseconds, :func:`kind_of` a little more.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag, auto
from typing import Any, Final

#: The name of a location inside one execution: hashable and picklable, equal iff it is the same location.
Target = tuple[Any, ...]


class Trait(Flag):
    """A trait of a kind."""

    NONE = 0
    DATA = auto()  # a program's values are kept there: conflicting accesses without an order are races
    LISTS = auto()  # an update adds to it, or takes from it, and makes the same accesses whatever is there
    ORDERS = auto()  # it orders threads: accesses follow from the threads' operations, and explain no failure
    WAITS = auto()  # an operation on it may have to wait
    COUNTS = auto()  # it holds a number, and taking from it waits while that is 0
    ONCE = auto()  # it is written once, to let one thread go on
    PRIMITIVE = auto()  # the data guarded or handed over by it is unknown if the code is not instrumented
    BUFFERED = auto()  # it stands for a store on its way to memory (program/python/weak_memory/)
    PART = auto()  # it is part of an object, whose number is the second component
    WHOLE = auto()  # parts of an object taken together: an operation on it conflicts with those on the parts


_NONE: Final = Trait.NONE
_DATA: Final = Trait.DATA
_ORDERS: Final = Trait.ORDERS
_WAITS: Final = Trait.ORDERS | Trait.WAITS
_PRIMITIVE: Final = Trait.ORDERS | Trait.WAITS | Trait.PRIMITIVE
_BUFFERED: Final = Trait.ORDERS | Trait.WAITS | Trait.BUFFERED


class Kind(Enum):
    """A kind of targets: its tag in executions, the names of some of them, its properties, and the tag that it has
    in recorded traces, if that is another one."""

    # Locations of a program's values. "var" is any variable of a trace from elsewhere.
    ATTRIBUTE = "a", "attribute(s)", _DATA | Trait.PART, "var"
    ITEM = "i", "item(s)", _DATA | Trait.PART, "var"
    GLOBAL = "g", "global(s)", _DATA, "var"
    CELL = "c", "captured variable(s)", _DATA, "var"
    VARIABLE = "var", "variable(s)", _DATA
    STRUCTURE = "s", "structure(s) of containers", Trait.WHOLE, "structure"  # which items there are, in which order
    VALUES = "v", "container(s) as a whole", Trait.WHOLE, "values"  # all items of a large container
    OBJECT = "o", "object(s)", Trait.WHOLE, "object"  # the state of a native object; memory that is freed
    REFERENCE = "w", "weak reference(s)", _DATA
    CACHED = "cached", "cached result(s) of functions", _NONE
    ATOMIC = "atomic", "atomic variable(s)", _NONE
    INVOKED = "invoked", "object(s) whose calls are one step each", Trait.WHOLE
    MONITORED = "monitored", "state(s) of properties", _NONE  # that a run is held to: its events change it

    # The parts of locks and the like. HANDED: a lock that one thread takes and another one gives back.
    LOCK = "lock", "lock(s)", _PRIMITIVE
    HANDED = "handed", "lock(s) handed on", _DATA | _PRIMITIVE | Trait.COUNTS
    SHARED_LOCK = "shared lock", "lock(s) that readers share", _NONE
    CONDITION = "cond", "condition(s)", _PRIMITIVE
    WAKE = "wake", "wake-up(s)", _PRIMITIVE | Trait.ONCE
    PARKED = "parked", "thread(s) waiting for an event", _DATA | _ORDERS
    SEMAPHORE = "sem", "semaphore(s)", _PRIMITIVE | Trait.COUNTS
    PERMITS = "permits", "permit(s) of semaphores", _WAITS | Trait.COUNTS  # of which no thread looks how many there are
    EVENT = "event", "event(s)", _PRIMITIVE
    BARRIER = "barrier", "barrier(s)", _WAITS
    AWAITED = "awaited", "test(s) of loops that wait", _ORDERS
    ROUND = "round", "count(s) of arrivals at barriers", _ORDERS
    ARRIVAL = "arrival", "arrival(s) at barriers", _WAITS | Trait.ONCE
    QUEUE = "queue", "queue(s)", _WAITS | Trait.COUNTS
    QUEUE_END = "queue end", "end(s) of queues", _ORDERS
    QUEUED = "queued", "item(s) in queues", _WAITS | Trait.ONCE
    UNFINISHED = "unfinished", "count(s) of unfinished tasks", _WAITS
    HIDDEN = "hidden", "thing(s) that keep threads in order", _NONE
    WAITER = "waiter", "thread(s) waiting for a condition", _NONE, "hidden"

    # Threads and time; the state of these that programs can look at is data.
    THREAD = "thread", "thread(s) started, joined, begun or ended", _WAITS
    THREADS = "threads", "count(s) of living threads", _DATA | _ORDERS
    START = "start", "start(s) of threads", _DATA | _ORDERS
    THREAD_NAME = "thread's name", "name(s) of threads", _DATA
    THREAD_NUMBERS = "thread numbers", "number(s) in names of threads", _DATA
    DAEMON = "daemon", "mark(s) of daemons", _DATA
    SLEEP = "sleep", "sleep(s)", _ORDERS
    SPIN = "spin", "loop(s) that change nothing", _ORDERS
    CLOCK = "clock", "clock(s)", _DATA
    TIME = "time", "order(s) of timeouts", _DATA
    TASK = "task", "task(s) of executors", _DATA | Trait.WAITS
    TURN = "turn", "turn(s) of tasks of executors", _WAITS | Trait.ONCE
    POOL = "thread pool", "thread pool(s)", _DATA
    POOL_END = "thread pool ends", "end(s) of thread pools", _DATA
    RESULTS = "results", "result(s) of thread pools", _DATA
    FAILURES = "failures", "first exception(s) of map()", _DATA
    OFFERED = "items of imap", "result(s) that imap() offers", _DATA | Trait.WAITS
    TAKEN = "results taken of imap", "place(s) in results of imap()", _DATA

    # The way of stores to memory, under TSO and PSO.
    STORE = "store", "buffered store(s)", _BUFFERED | Trait.ONCE
    FLUSHED = "flushed", "arrival(s) of stores", _BUFFERED | Trait.ONCE
    FENCE = "fence", "fence(s)", _BUFFERED

    # State of the process, and of the outside.
    PROCESS = "process", "part(s) of the state of the process", _DATA
    ENVIRONMENT = "environment", "environment variable(s)", _DATA | Trait.LISTS
    RESOURCE_LIMIT = "resource limit", "resource limit(s)", _DATA
    SIGNAL = "signal", "signal(s)", _DATA
    WARNED = "warned", "warning(s)", _DATA
    ENTRY = "entry", "directory entry(s)", _DATA
    DIRECTORY = "directory", "listing(s) of directories", _DATA | Trait.LISTS
    FILE = "file", "file(s)", _DATA
    OPEN_FILE = "open file", "open file(s)", _DATA
    CHANNEL = "channel", "pipe(s) or sockets", _DATA | Trait.WAITS
    LOOP = "loop", "callbacks of event loop(s)", _DATA | Trait.WAITS
    DATABASE = "database", "database(s)", _DATA | Trait.WAITS
    DATABASE_CALLS = "sqlite3 calls", "connection(s) of sqlite3", _DATA

    ASSUMPTION = "assumption", "assumption(s) that do not hold", _ORDERS  # a thread before it never goes on

    # Where control goes: nothing is shared.
    FUNCTION = "function", "function(s)", _NONE
    METHOD = "method", "method(s)", _NONE
    BRANCH = "branch", "branch(es)", _NONE
    POINT = "point", "property event(s)", _NONE
    PASS = "pass", "pass(es) of loops", _NONE  # the target of a BRANCH at the head of a loop, with Plan.values
    NOTHING = "none", "target(s) of events that touch nothing", _NONE

    tag: str
    words: str
    properties: Trait
    recorded: str

    def __new__(cls, tag: str, words: str, properties: Trait, recorded: str = "") -> Kind:
        member = object.__new__(cls)
        member._value_ = member.tag = tag
        member.words, member.properties, member.recorded = words, properties, recorded or tag
        return member

    def has(self, properties: Trait) -> bool:
        """Whether the kind has this property, or one of these."""
        return self.properties._value_ & properties._value_ != 0


#: Tags, for code that makes many targets; others are ``Kind.X.tag``.
ATTRIBUTE: Final = Kind.ATTRIBUTE.tag
ITEM: Final = Kind.ITEM.tag
GLOBAL: Final = Kind.GLOBAL.tag
CELL: Final = Kind.CELL.tag
VARIABLE: Final = Kind.VARIABLE.tag
STRUCTURE: Final = Kind.STRUCTURE.tag
VALUES: Final = Kind.VALUES.tag
OBJECT: Final = Kind.OBJECT.tag
REFERENCE: Final = Kind.REFERENCE.tag
ATOMIC: Final = Kind.ATOMIC.tag
INVOKED: Final = Kind.INVOKED.tag
LOCK: Final = Kind.LOCK.tag
HANDED: Final = Kind.HANDED.tag
CONDITION: Final = Kind.CONDITION.tag
WAKE: Final = Kind.WAKE.tag
SEMAPHORE: Final = Kind.SEMAPHORE.tag
EVENT: Final = Kind.EVENT.tag
BARRIER: Final = Kind.BARRIER.tag
AWAITED: Final = Kind.AWAITED.tag
QUEUE: Final = Kind.QUEUE.tag
HIDDEN: Final = Kind.HIDDEN.tag
THREAD: Final = Kind.THREAD.tag
FUNCTION: Final = Kind.FUNCTION.tag
PASS: Final = Kind.PASS.tag
STORE: Final = Kind.STORE.tag
FLUSHED: Final = Kind.FLUSHED.tag

#: The objects of the n-th thread (from 1) have numbers from n times this on: the least number of an object.
OBJECTS: Final = 1 << 32

#: Targets that are the only ones of their kinds.
ASSUMPTION: Final[Target] = (Kind.ASSUMPTION.tag,)
BRANCH: Final[Target] = (Kind.BRANCH.tag,)
CLOCK: Final[Target] = (Kind.CLOCK.tag,)
DAEMONS: Final[Target] = (Kind.DAEMON.tag,)  # whether the end of the program waits for these, too
FENCE: Final[Target] = (Kind.FENCE.tag,)
NOTHING: Final[Target] = (Kind.NOTHING.tag,)
SLEEP: Final[Target] = (Kind.SLEEP.tag,)
SPIN: Final[Target] = (Kind.SPIN.tag,)
THREADS: Final[Target] = (Kind.THREADS.tag,)


def started_by(thread: str) -> Target:
    """Which threads a thread has started."""
    return (Kind.THREADS.tag, thread)


TIME: Final[Target] = (Kind.TIME.tag,)

#: Every tag that is known, those of recorded traces, too.
_BY_TAG: Final = {**{kind.recorded: kind for kind in Kind}, **{kind.tag: kind for kind in Kind}}
_VARIABLE: Final = Kind.VARIABLE


def kind_of(target: Any) -> Kind:
    """The kind of a target; VARIABLE for targets that only traces from elsewhere have, bare names included."""
    return _BY_TAG.get(target[0], _VARIABLE) if isinstance(target, tuple) and target else _VARIABLE


def kind_of_tag(tag: str) -> Kind | None:
    """The kind that a tag stands for; None if it is not known."""
    return _BY_TAG.get(tag)


def of_kinds(*kinds: Kind) -> Callable[[Any], bool]:
    """A predicate: whether a target is of one of these kinds."""
    tags = frozenset(tag for tag, kind in _BY_TAG.items() if kind in kinds)

    def is_one(target: Any) -> bool:
        return isinstance(target, tuple) and target != () and target[0] in tags

    return is_one


def _with(properties: Trait) -> Callable[[Any], bool]:
    return of_kinds(*(kind for kind in Kind if kind.has(properties)))


#: Whether a target orders threads; whether an operation on it may have to wait; and so on, see :class:`Trait`.
orders_threads: Final = _with(Trait.ORDERS)
may_wait: Final = _with(Trait.WAITS)
is_counter: Final = _with(Trait.COUNTS)
is_written_once: Final = _with(Trait.ONCE)
is_primitive: Final = _with(Trait.PRIMITIVE)
is_buffered: Final = _with(Trait.BUFFERED)
is_of_object: Final = _with(Trait.PART | Trait.WHOLE)

_NO_DATA: Final = frozenset(tag for tag, kind in _BY_TAG.items() if not kind.has(Trait.DATA))


def is_data(target: Any) -> bool:
    """Whether a target holds data: values of a program, for which accesses without an order race."""
    return not (isinstance(target, tuple) and target != () and target[0] in _NO_DATA)


#: Whether only values of a program are changed by an update (RMW) of a target: no thread has to wait for another one.
is_only_content: Final = of_kinds(
    *(kind for kind in Kind if kind.has(Trait.DATA | Trait.WHOLE) and not kind.has(Trait.ORDERS | Trait.WAITS))
)


def wholes_of(target: Target) -> tuple[Target, ...]:
    """The targets that stand for all items of the container of which this target is an item; none for other targets."""
    return ((STRUCTURE, target[1]), (VALUES, target[1])) if target[0] == ITEM else ()
