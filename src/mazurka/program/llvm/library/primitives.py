"""The primitives of pthreads: their state in one execution. :mod:`mazurka.program.llvm.library.threads` has the
operations on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from mazurka.program.runtime.task import Task
from mazurka.trace.event import Location, Op
from mazurka.trace.targets import ATOMIC, CONDITION, LOCK, SEMAPHORE, WAKE, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.memory_objects import MemoryObject
    from mazurka.program.runtime.runtime import Runtime

#: The kinds of mutexes, as ``pthread.h`` numbers them.
NORMAL, RECURSIVE, ERRORCHECK = 0, 1, 2

#: The states of a robust mutex that is not consistent.
OWNER_DIED, NOT_RECOVERABLE = "owner died", "not recoverable"


class Primitive:
    """A primitive at an address, the threads that have used it, and the memory that it is in. ``maker`` is the thread
    that has initialised it beside others."""

    __slots__ = ("address", "maker", "place", "users")
    words: ClassVar[str] = "primitive"
    target: Target

    def __init__(self) -> None:
        self.users: set[int] = set()
        self.address = 0
        self.maker: int | None = None
        self.place: MemoryObject | None = None

    def misused(self) -> str:
        """Why it may not be initialised or destroyed now; "" if it may."""
        return ""


class Mutex(Primitive):
    """A mutex. A ``robust`` one has a state, which it guards: "" as long as it is consistent, "owner died" after a
    thread has ended that had it, "not recoverable" after it has been unlocked in that state. ``inherits`` says that its
    owner gets the priority of threads that wait, which changes its error codes."""

    __slots__ = ("count", "holder_", "inherits", "kind", "name", "robust", "since", "state", "state_target", "target")
    words = "mutex"

    def __init__(self, name: str, kind: int, *, robust: bool = False, inherits: bool = False) -> None:
        super().__init__()
        self.robust = robust
        self.inherits = inherits
        self.state = ""
        self.state_target: Target = (ATOMIC, f"{name} (state)")
        self.name = name
        self.target: Target = (LOCK, name)
        self.kind = kind
        self.holder_: Task | None = None
        self.count = 0
        self.since: Location | None = None

    @property
    def knows_owner(self) -> bool:
        """Whether calls of threads that do not have it fail, where those of a normal mutex are undefined."""
        return self.robust or self.inherits or self.kind in (RECURSIVE, ERRORCHECK)

    def misused(self) -> str:
        return "which is locked" if self.holder_ is not None else ""

    def is_free(self) -> bool:
        """Whether it can be taken."""
        return self.holder_ is None

    def read(self, run: Runtime, site: int) -> str:
        """The state, read by a step."""
        run.visit(Op.READ, self.state_target, site, (lambda: ("str", self.state)) if run.detail else None)
        return self.state

    def write(self, run: Runtime, site: int, state: str) -> None:
        """Replace the state."""
        run.visit(Op.WRITE, self.state_target, site, (lambda: ("str", self.state)) if run.detail else None)
        self.state = state

    def describe(self) -> str:
        return f"mutex `{self.name}`"

    def holder(self) -> Task | None:
        return self.holder_


class ConditionWaiter:
    """A thread that waits for a condition variable. ``others`` are those that went on waiting when it was signalled."""

    __slots__ = ("condition", "has_left", "is_cancelled", "mutex", "notified", "others", "target", "timed")

    def __init__(self, condition: ConditionVariable, mutex: Mutex, number: str, timed: bool) -> None:
        self.condition = condition
        self.mutex = mutex
        self.target: Target = (WAKE, number)
        self.notified = False
        self.is_cancelled = False  # notified by pthread_cancel
        self.has_left = False  # it waits for its mutex only
        self.others: tuple[ConditionWaiter, ...] = ()
        self.timed = timed

    def is_notified(self) -> bool:
        """Whether it has been woken."""
        return self.notified

    def can_resume(self) -> bool:
        """Whether it has been woken, and the mutex is free."""
        return self.notified and self.mutex.is_free()

    def describe(self) -> str:
        return self.mutex.describe() if self.notified else f"a signal of {self.condition.describe()}"

    def holder(self) -> Task | None:
        return self.mutex.holder_ if self.notified else None


class ConditionVariable(Primitive):
    """A condition variable. ``signalled`` are the mutexes that threads had at each signal so far, ``clock`` is that of
    its timed waits."""

    __slots__ = ("clock", "mutex", "name", "signalled", "target", "waiters")
    words = "condition variable"

    def __init__(self, name: str, clock: int = 0) -> None:
        super().__init__()
        self.name = name
        self.clock = clock
        self.target: Target = (CONDITION, name)
        self.waiters: list[ConditionWaiter] = []
        self.mutex: Mutex | None = None
        self.signalled: list[frozenset[str]] = []

    def misused(self) -> str:
        return "which threads wait for" if any(not each.has_left for each in self.waiters) else ""

    def describe(self) -> str:
        return f"condition `{self.name}`"

    def holder(self) -> Task | None:
        return None


class Semaphore(Primitive):
    """A semaphore."""

    __slots__ = ("name", "target", "value")
    words = "semaphore"

    def __init__(self, name: str, value: int) -> None:
        super().__init__()
        self.name = name
        self.target: Target = (SEMAPHORE, name)
        self.value = value

    def describe(self) -> str:
        return f"semaphore `{self.name}`"

    def holder(self) -> Task | None:
        return None


class Composite(Primitive):
    """A primitive made of a mutex and a condition variable, and the state that these guard: a location of its own, so
    that the model of an execution knows on which state a thread has acted."""

    __slots__ = ("condition", "mutex", "state", "target")
    words = "barrier or pthread_once"

    def __init__(self, name: str) -> None:
        super().__init__()
        self.mutex = Mutex(f"{name} (mutex)", NORMAL)
        self.condition = ConditionVariable(f"{name} (condition)")
        self.target: Target = (ATOMIC, f"{name} (state)")
        self.state: tuple[Any, ...] = ()

    def misused(self) -> str:
        return self.condition.misused()

    def read(self, run: Runtime, site: int) -> tuple[Any, ...]:
        """The state, read by a step."""
        run.visit(Op.READ, self.target, site, self._value if run.detail else None)
        return self.state

    def write(self, run: Runtime, site: int, state: tuple[Any, ...]) -> None:
        """Replace the state."""
        run.visit(Op.WRITE, self.target, site, self._value if run.detail else None)
        self.state = state

    def look(self, run: Runtime, site: int) -> None:
        """Read the state under the mutex, which orders its accesses: the step is no point."""
        run.visit(Op.READ, self.target, site, self._value if run.detail else None, point=False)

    def change(self, run: Runtime, site: int, state: tuple[Any, ...]) -> None:
        """Replace the state under the mutex, likewise."""
        run.visit(Op.WRITE, self.target, site, self._value if run.detail else None, point=False)
        self.state = state

    def _value(self) -> tuple[str, ...]:
        return ("str", repr(self.state))


class ReadWriteLock(Primitive):
    """A read-write lock: the thread that writes ("" for none), those that read, each with how often, and the parts that
    these wait at, by their numbers. One on which waiting writers go first has one part, and counts these."""

    __slots__ = ("name", "parts", "readers", "target", "waiting", "writer", "writers_first")
    words = "read-write lock"

    def __init__(self, name: str, *, writers_first: bool = False) -> None:
        super().__init__()
        self.name = name
        self.writers_first = writers_first
        self.waiting = 0
        self.writer = ""
        self.readers: dict[str, int] = {}
        self.parts: dict[int, Composite] = {}
        self.target: Target = (ATOMIC, f"{name} (state)")

    def misused(self) -> str:
        return "which is locked" if self.writer or self.readers else ""


class CancellableSemaphore(Composite):
    """A semaphore at which threads may be cancelled. Its state is its value."""

    __slots__ = ()
    words = "semaphore"

    def __init__(self, name: str, value: int) -> None:
        super().__init__(name)
        self.state = (value,)
