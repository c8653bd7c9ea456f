"""pthreads and C11 threads: threads, mutexes, condition variables, and the rest made of these.

Source: POSIX.1-2017. A mutex is a lock of its name, ("lock", object and offset), a condition variable ("cond", ...), as
for Python programs (:mod:`mazurka.program.python.primitives`):

- Locking is an ACQUIRE, unlocking a RELEASE, and a point only if some thread can observe it. A mutex that its thread
  has is locked again without a step if it is recursive; a normal one is waited for, for ever. Unlocking a mutex that
  the thread does not have is a fault, as is using one that has been destroyed.
- ``pthread_cond_wait`` is a RELEASE with WAIT, then an ACQUIRE with a READ of the waiter's own ("wake", n). Of a
  recursive mutex that its thread has locked several times it gives up one level only, as in glibc: it is a WAIT, then a
  READ. A signal is NOTIFY, and wakes the thread that has waited longest. It is a point if some thread may signal
  without the mutex that waiters use.
- Read-write locks (read_write_locks.py), barriers, ``once`` and spin locks are made of mutexes and condition variables.

Not modelled: spurious wake-ups, and signals that wake another thread than the one that has waited longest; verdicts say
that they assume this.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from math import inf
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProcessExit, ProgramFault, ThreadExit
from mazurka.program.llvm.library.attributes import DETACHED, PRIO_INHERIT, PRIO_PROTECT, accepts_priority, attribute
from mazurka.program.llvm.library.attributes import FUNCTIONS as ATTRIBUTES
from mazurka.program.llvm.library.exits import ends_with_calls, exit_process
from mazurka.program.llvm.library.primitive_table import PrimitiveTable
from mazurka.program.llvm.library.primitives import (
    ERRORCHECK,
    NORMAL,
    NOT_RECOVERABLE,
    OWNER_DIED,
    RECURSIVE,
    Composite,
    ConditionVariable,
    ConditionWaiter,
    Mutex,
)
from mazurka.program.llvm.library.thread_storage import FUNCTIONS as STORAGE
from mazurka.program.llvm.library.thread_storage import call_destructors, end_storage, set_errno
from mazurka.program.protocol import Access
from mazurka.program.runtime.task import CANCEL_POINTS, END_POINTS, LAST_POINTS, MISUSE_POINTS, RELEASE_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

EPERM, ESRCH, EAGAIN, EBUSY, EINVAL, ERANGE, EDEADLK, EOVERFLOW, ETIMEDOUT = 1, 3, 11, 16, 22, 34, 35, 75, 110
EOWNERDEAD, ENOTRECOVERABLE = 130, 131

#: The offset of the kind in glibc's ``pthread_mutex_t``, which static initialisers of recursive mutexes set.
_KIND_AT: Final = 16

#: The first thread identifier.
_FIRST_ID: Final = 0x7F00_0000_0000

#: Which threads have come to their end.
_ALIVE: Final[Target] = (ATOMIC, "the threads that are left")

FIFO: Final = "a signal wakes the thread that has waited longest, and no thread wakes without one"


class Threads(PrimitiveTable):
    """The threads and primitives of one execution."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.ids: dict[int, Task] = {}
        self.results: dict[int, int | None] = {}  # by task; None: it has returned no value
        self.detached: set[int] = set()  # and joined ones
        self.stack_sizes: dict[int, int] = {}  # by task, in bytes, where it was asked for
        self.joined: set[int] = set()
        self.waits: dict[str, int] = {}  # by thread: how often it has waited
        self.requests: set[int] = set()  # tasks that pthread_cancel has been called for
        self.uncancellable: set[int] = set()  # tasks that have disabled this
        self.waiting: dict[int, ConditionWaiter] = {}  # in pthread_cond_wait, by task
        self.has_left = False  # the main thread has ended by pthread_exit
        self.left = {"0"}  # see _count_out
        self.endings: dict[int, Composite] = {}  # by task

    # -- threads ------------------------------------------------------------------------------------------------------

    def create(
        self, site: int, place: int, function: int, argument: int, *, detached: bool = False, stack: int = 0
    ) -> int:
        """``pthread_create``. The identifier is stored before the thread can run."""
        machine, run = self.machine, self.machine.run
        parent = run.current
        name = f"{parent.name}.{parent.births + 1}"
        number = self._number(name)
        if place:
            machine.memory.store(place, 8, number, site)
        function_name = machine.shown_name(machine.functions.get(function, ""))
        machine.memory.owned.fork(parent.index, len(run.tasks))
        if stack:
            self.stack_sizes[len(run.tasks)] = stack
        if detached:
            self.detached.add(len(run.tasks))
        task = run.fork(
            lambda: self.live(lambda: self._body(function, argument, site)),
            daemon=not self.has_left,
            label=f"{function_name} ({name})",
        )
        self.ids[number] = task
        machine.state["mask", task.index] = machine.state.get(("mask", parent.index), 0)
        return 0

    def _number(self, name: str) -> int:
        number = 0
        for birth in name.split(".")[1:]:
            number = (number * 4099 + int(birth)) % (1 << 28)
        return _FIRST_ID + number * 4096

    def self_id(self) -> int:
        """``pthread_self``."""
        task = self.machine.run.current
        number = self._number(task.name)
        self.ids[number] = task
        return number

    def live(self, body: Callable[[], None]) -> None:
        """Run a thread. If it ends the process, it stands there until no other thread can go on."""
        try:
            body()
        except ProcessExit as error:
            run = self.machine.run
            if run.aborting or not self.left:
                raise
            run.note_failure(error)
            run.leave_process()

    def _body(self, function: int, argument: int, site: int) -> None:
        run = self.machine.run
        task = run.current
        value = None
        try:
            value = self.machine.call(function, site, argument)
        except ThreadExit as error:
            value = error.value
        finally:
            self.machine.memory.section.leave()
        self.results[task.index] = value
        self.end(task)

    def leave(self, task: Task) -> None:
        """A thread, or the process, ends: call the destructors of the thread's ``thread_local`` objects."""
        while left := self.machine.state.get(("thread exit", task.index)):
            function, argument = left.pop()
            self.machine.call(function, 0, argument)

    def end(self, task: Task) -> None:
        """A thread ends: call the destructors of its ``thread_local`` objects and thread-specific data, end the process
        if no thread is left, end its variables, and leave its robust mutexes to others."""
        self.leave(task)
        call_destructors(self.machine, task)
        self._count_out()
        end_storage(self.machine, task)
        for each in list(self.primitives.values()):
            if isinstance(each, Mutex) and each.robust and each.holder_ is task:
                each.write(self.machine.run, 0, OWNER_DIED)
                self._give_up(each, 0)
        if CANCEL_POINTS in self.machine.run.points:
            ending = self.ending(task)
            self.lock(ending.mutex, 0)
            ending.write(self.machine.run, 0, ("ended",))
            self.signal(ending.condition, 0, all_=True)
            self.unlock(ending.mutex, 0)

    def _count_out(self) -> None:
        """The running thread comes to its end. The last one calls ``exit``, as in glibc; which one that is matters if
        there are functions to call then, once the main thread has been seen to end by ``pthread_exit``.

        What it reads decides, not how many others have created meanwhile: the names of those threads that were created
        by threads that have ended, and have not ended themselves, or the other way round. There are none only if no
        thread is left: each was created by one that has ended, or by another one that is left.
        """
        machine = self.machine
        if self.has_left and ends_with_calls(machine):
            machine.run.need_points(LAST_POINTS)
        if LAST_POINTS in machine.run.points:
            machine.memory.step(Op.RMW, _ALIVE, 0, lambda: ("str", " ".join(sorted(self.left))), point=True)
        task = machine.run.current
        self.left ^= {task.name, *[f"{task.name}.{number}" for number in range(1, task.births + 1)]}
        if not self.left:
            exit_process(machine, 0, 0)

    def ending(self, task: Task) -> Composite:
        """Whether a thread has ended, for threads that may be cancelled while they wait for that."""
        found = self.endings.get(task.index)
        if found is None:
            found = self.endings[task.index] = Composite(f"end of thread {task.name}")
        return found

    def join(self, site: int, number: int, place: int, size: int = 8, timeout: float | None = None) -> int:
        """``pthread_join`` and ``pthread_timedjoin_np``; the thread's result has ``size`` bytes."""
        run = self.machine.run
        task = self.ids.get(number)
        if task is None:
            return ESRCH
        if task is run.current:
            return EINVAL if task.index in self.detached else EDEADLK
        if timeout == INVALID:
            return EINVAL
        self._hold_joinable(task, site)
        if not run.join(task, timeout, waiting_for=task):
            return ETIMEDOUT
        self._hold_joinable(task, site)
        self.machine.memory.owned.join(run.current.index, task.index)
        self.detached.add(task.index)
        self.joined.add(task.index)
        if place:
            value = self.results.get(task.index, 0)
            content = (value or 0) & (1 << 8 * size) - 1
            shadow = bytes(size) if value is None else None
            self.machine.memory.write(place, content.to_bytes(size, "little"), site, shadow)
        return 0

    def _hold_joinable(self, task: Task, site: int) -> None:
        """Find a fault if a thread can't be joined."""
        if task.index in self.detached:
            raise ProgramFault(
                "misuse of a thread", f"joins thread {task.name}, which is detached or has been joined", site
            )

    # -- mutexes ------------------------------------------------------------------------------------------------------

    def mutex(self, address: int, site: int) -> Mutex:
        """The mutex at an address."""

        def make(name: str) -> Mutex:
            kind = int.from_bytes(self.machine.memory.peek(address + _KIND_AT, 4), "little")
            return Mutex(name, kind & 3)

        found: Mutex = self.known(address, Mutex, site, make)
        return found

    def spin_lock(self, address: int, site: int) -> Mutex:
        """The spin lock at an address: no static initialiser makes one, and zeros are a taken one in glibc."""
        found: Mutex = self.known(address, Mutex, site, self.not_initialised("spin lock", site))
        return found

    def lock(self, mutex: Mutex, site: int, timeout: float | None = None) -> int:
        """Lock a mutex, waiting if need be."""
        run = self.machine.run
        task = run.current
        if mutex.holder_ is task:
            if mutex.kind == RECURSIVE:
                mutex.count += 1
                return 0
            if mutex.kind == ERRORCHECK:
                return EDEADLK
        if timeout is not None:
            run.need_points(RELEASE_POINTS)
        if timeout == INVALID:  # glibc looks at the time if it has to wait
            if not run.attempt(Op.ACQUIRE, mutex.target, mutex.is_free):
                return EINVAL
        elif not run.block(Op.ACQUIRE, mutex.target, mutex.is_free, site=site, waiting_for=mutex, timeout=timeout):
            return ETIMEDOUT
        self._take(mutex, site)
        self.hold(mutex, site)
        return self._inherited(mutex, site)

    def _inherited(self, mutex: Mutex, site: int) -> int:
        """The error with which a thread takes a robust mutex whose owner has died; it has a mutex that can be made
        consistent, and has none that can't."""
        if not mutex.robust or not (state := mutex.read(self.machine.run, site)):
            return 0
        if state == OWNER_DIED:
            return EOWNERDEAD
        self._give_up(mutex, site)
        return ENOTRECOVERABLE

    def _give_up(self, mutex: Mutex, site: int) -> None:
        self.machine.run.release(mutex.target, site)
        mutex.holder_, mutex.count = None, 0

    def make_consistent(self, mutex: Mutex, site: int) -> int:
        """``pthread_mutex_consistent``."""
        if not mutex.robust or mutex.holder_ is not self.machine.run.current or mutex.state != OWNER_DIED:
            return EINVAL
        mutex.write(self.machine.run, site, "")
        return 0

    def _take(self, mutex: Mutex, site: int) -> None:
        mutex.holder_ = self.machine.run.current
        mutex.count = 1
        mutex.since = self.machine.location(site)

    def try_lock(self, mutex: Mutex, site: int) -> int:
        """``pthread_mutex_trylock``."""
        run = self.machine.run
        if mutex.holder_ is run.current:
            if mutex.kind == RECURSIVE:
                mutex.count += 1
                return 0
            return EDEADLK if mutex.kind == ERRORCHECK and (mutex.robust or mutex.inherits) else EBUSY
        run.need_points(RELEASE_POINTS)
        if not run.attempt(Op.ACQUIRE, mutex.target, mutex.is_free):
            return EBUSY
        self._take(mutex, site)
        return self._inherited(mutex, site)

    def unlock(self, mutex: Mutex, site: int) -> int:
        """``pthread_mutex_unlock``."""
        run = self.machine.run
        if mutex.holder_ is not run.current and not run.aborting:
            if mutex.knows_owner:
                run.need_points(RELEASE_POINTS)
                return EPERM
            state = "free" if mutex.holder_ is None else f"held by thread {mutex.holder_.name}"
            raise ProgramFault("misuse of a mutex", f"unlocks {mutex.name}, which is {state}", site)
        mutex.count -= 1
        if mutex.count:
            return ENOTRECOVERABLE if mutex.state == OWNER_DIED else 0
        if mutex.state == OWNER_DIED:
            mutex.write(run, site, NOT_RECOVERABLE)
        self._give_up(mutex, site)
        return 0

    # -- condition variables ------------------------------------------------------------------------------------------

    def request(self, task: Task) -> tuple[str, int]:
        """Whether ``pthread_cancel`` has been called for a thread, as a value of a step."""
        return ("int", int(task.index in self.requests))

    def is_cancelled(self, task: Task) -> bool:
        """Whether a thread is to end at its next cancellation point."""
        return task.index in self.requests and task.index not in self.uncancellable

    def wait_as_point(
        self, condition: ConditionVariable, mutex: Mutex, site: int, timeout: float | None = None
    ) -> tuple[int, bool]:
        """``pthread_cond_wait``: the result, and whether the thread has been cancelled meanwhile."""
        task = self.machine.run.current
        result = self.wait(condition, mutex, site, timeout, cancellable=self.machine.cancels)
        waiter = self.waiting.pop(task.index, None)
        return result, waiter is not None and waiter.is_cancelled

    def wait(
        self,
        condition: ConditionVariable,
        mutex: Mutex,
        site: int,
        timeout: float | None = None,
        *,
        cancellable: bool = False,
    ) -> int:
        """Wait for a condition variable."""
        run = self.machine.run
        task = run.current
        if mutex.holder_ is not task and mutex.knows_owner:
            run.need_points(RELEASE_POINTS)
            return EPERM
        if mutex.holder_ is not task:
            raise ProgramFault("misuse of a condition", f"waits for {condition.name} without having {mutex.name}", site)
        run.assumed.add(FIFO)
        if condition.mutex is not mutex:
            if condition.mutex is not None or any(mutex.name not in held for held in condition.signalled):
                self._signals_freely()
            condition.mutex = mutex
        count = self.waits[task.name] = self.waits.get(task.name, 0) + 1
        waiter = ConditionWaiter(condition, mutex, f"{task.name}#{count}", timeout is not None)
        keeps = mutex.count > 1
        self._give_up_to_wait(waiter, site, keeps=keeps)
        if cancellable and not run.solo:
            run.widen([Access(Op.READ, cancellation_of(task), self.request(task))])
        if cancellable:
            self.waiting[task.index] = waiter
        if cancellable and self.is_cancelled(task):
            waiter.notified = waiter.is_cancelled = True
        else:
            condition.waiters.append(waiter)
        woken = True
        if timeout is None and not cancellable and not keeps:
            more = (Access(Op.READ, waiter.target),)
            run.block(Op.ACQUIRE, mutex.target, waiter.can_resume, site=site, waiting_for=waiter, more=more)
        else:
            woken = run.block(Op.READ, waiter.target, waiter.is_notified, waiting_for=waiter, timeout=timeout)
            waiter.has_left = True
            if cancellable and not run.solo:
                run.widen([Access(Op.READ, cancellation_of(task), self.request(task))])
            leaving = () if woken else (Access(Op.RMW, condition.target),)
            if not keeps:
                run.block(Op.ACQUIRE, mutex.target, mutex.is_free, site=site, waiting_for=mutex, more=leaving)
            elif not woken:
                run.visit(Op.RMW, condition.target, site, None, (), point=True)
            if not woken and waiter in condition.waiters:
                condition.waiters.remove(waiter)
        error = self._take_after_wait(mutex, site, keeps=keeps)
        if not woken:  # a condition variable may end once its waiters have been woken
            self.hold(condition, site)
        return error or (0 if woken else ETIMEDOUT)

    def _give_up_to_wait(self, waiter: ConditionWaiter, site: int, *, keeps: bool) -> None:
        """Begin to wait: the mutex is given up, or one level of it."""
        run, mutex, condition = self.machine.run, waiter.mutex, waiter.condition
        if keeps:
            self._signals_freely()
            run.visit(Op.WAIT, condition.target, site, None, (), point=True)
            mutex.count -= 1
            return
        if mutex.state == OWNER_DIED:
            mutex.write(run, site, NOT_RECOVERABLE)
        parking = (Access(Op.WAIT, condition.target),)
        run.visit(Op.RELEASE, mutex.target, site, None, parking, point=RELEASE_POINTS in run.points)
        mutex.holder_, mutex.count = None, 0

    def _take_after_wait(self, mutex: Mutex, site: int, *, keeps: bool) -> int:
        """The thread has the mutex again that it gave up to wait; returns its error."""
        if keeps:
            mutex.count += 1
            return 0
        self._take(mutex, site)
        self.hold(mutex, site)
        return self._inherited(mutex, site)

    def _signals_freely(self) -> None:
        """Some thread signals without the mutex that waiters use: it can do so before they wait, or after."""
        self.machine.run.need_points(MISUSE_POINTS)
        self.machine.run.need_points(RELEASE_POINTS)

    def signal(self, condition: ConditionVariable, site: int, *, all_: bool) -> int:
        """``pthread_cond_signal`` and ``pthread_cond_broadcast``."""
        run = self.machine.run
        held = frozenset(
            each.name for each in self.primitives.values() if isinstance(each, Mutex) and each.holder_ is run.current
        )
        if not run.solo:
            condition.signalled.append(held)
            if condition.mutex is not None and condition.mutex.name not in held:
                self._signals_freely()
        op = Op.NOTIFY_ALL if all_ else Op.NOTIFY
        misused = MISUSE_POINTS in run.points
        if misused:  # other threads may come to wait, or leave, while this one stands at the point
            run.visit(op, condition.target, site, point=True)
        woken = condition.waiters[:] if all_ else condition.waiters[:1]
        more = [Access(Op.WRITE, waiter.target) for waiter in woken]
        if misused and not run.solo:
            run.widen(more)
        else:
            point = any(waiter.timed for waiter in woken)
            run.visit(op, condition.target, site, None, tuple(more), point=point)
        for waiter in woken:
            waiter.notified = True
            condition.waiters.remove(waiter)
            waiter.others = tuple(condition.waiters)
        return 0

    def cancel(self, task: Task) -> bool:
        """End the wait for a condition variable of a thread that is cancelled; whether there is one. A signal that has
        woken the thread already, but by which it has not gone on, wakes another one that waited then."""
        waiter = self.waiting.get(task.index)
        if waiter is None or waiter.has_left or waiter.is_cancelled:
            return waiter is not None
        condition = waiter.condition
        changes = [Access(Op.RMW, condition.target), Access(Op.WRITE, waiter.target)]
        if waiter in condition.waiters:
            condition.waiters.remove(waiter)
        else:
            following = next((each for each in waiter.others if each in condition.waiters), None)
            if following is not None:
                changes.append(Access(Op.WRITE, following.target))
                following.notified = True
                condition.waiters.remove(following)
                following.others = tuple(condition.waiters)
        waiter.notified = waiter.is_cancelled = True
        if not self.machine.run.solo:
            self.machine.run.widen(changes)
        return True


def cancellation_of(task: Task) -> Target:
    """The location of the request that a thread ends."""
    return (ATOMIC, f"cancellation of thread {task.name}")


# -- the functions -----------------------------------------------------------------------------------------------------


def attempting(function: Callable[..., int]) -> Callable[..., int]:
    """A function that tries to take a lock or the like, at once or within a time: where it fails its steps are noted,
    since they put threads in no order."""

    def called(m: Machine, site: int, *given: int) -> int:
        task, first = m.run.current.index, len(m.run.log)
        result = function(m, site, *given)
        if result in _FAILED:
            log = m.run.log
            m.failed_attempts.update(number for number in range(first, len(log)) if log[number][0] == task)
        return result

    called.__signature__ = signature(function)  # type: ignore[attr-defined]
    return called


#: The results of attempts that fail; -1 is that of those that set ``errno``.
_FAILED: Final = frozenset({EBUSY, EINVAL, ETIMEDOUT, EDEADLK, -1})


def _created(m: Machine, site: int, place: int, attributes: int, function: int, argument: int) -> int:
    detached, explicit, policy = (
        attribute(m, site, attributes, "pthread_attr", each) for each in ("detachstate", "inheritsched", "schedpolicy")
    )
    if explicit and policy in _REAL_TIME:
        _count(m, "threads of SCHED_FIFO or SCHED_RR, which not every user may have")
    stack = attribute(m, site, attributes, "pthread_attr", "stacksize") if attributes else 0
    return int(m.threads.create(site, place, function, argument, detached=detached == DETACHED, stack=stack))


def _detach(m: Machine, site: int, number: int) -> int:
    task = m.threads.ids.get(number)
    if task is None:
        return ESRCH
    if task.index in m.threads.detached:
        return EINVAL
    m.threads.detached.add(task.index)
    return 0


def _try_join(m: Machine, site: int, number: int, place: int) -> int:
    """``pthread_tryjoin_np``: a look at the thread's end."""
    task = m.threads.ids.get(number)
    if task is not None:
        m.run.need_points(END_POINTS)
        m.run.visit(Op.READ, task.life, site, point=True)
        if not task.done:
            return EBUSY
    return int(m.threads.join(site, number, place))


def _set_priority(m: Machine, site: int, number: int, policy: int, priority: int) -> int:
    """``pthread_setschedparam`` and ``pthread_setschedprio``; the priority of all threads is that of SCHED_OTHER."""
    if number not in m.threads.ids:
        return ESRCH
    if policy not in (*_REAL_TIME, *_OTHERS) or not accepts_priority(policy, priority):
        return EINVAL
    if policy in _REAL_TIME:
        _count(m, "threads of SCHED_FIFO or SCHED_RR, which not every user may have")
    return 0


def _priority(m: Machine, site: int, number: int, policy: int, parameters: int) -> int:
    if number not in m.threads.ids:
        return ESRCH
    _set(m, policy, 4, 0, site)
    return _set(m, parameters, 4, 0, site)


def _bound(least: bool) -> Callable[..., int]:
    """``sched_get_priority_min`` and ``sched_get_priority_max``."""

    def called(m: Machine, _site: int, policy: int) -> int:
        if policy in _REAL_TIME:
            return 1 if least else 99
        return 0 if policy in (*_OTHERS, _DEADLINE) else failed_with(m, EINVAL)

    return called


#: SCHED_FIFO and SCHED_RR; SCHED_OTHER, SCHED_BATCH and SCHED_IDLE.
_REAL_TIME, _OTHERS = (1, 2), (0, 3, 5)
_DEADLINE: Final = 6

#: The longest name of a thread, with its end.
_NAME: Final = 16

#: Options of ``prctl``.
_SET_NAME, _GET_NAME = 15, 16


def _set_name(m: Machine, site: int, number: int, text: int) -> int:
    name = m.memory.text(text, site)
    if len(name) >= _NAME:
        return ERANGE
    _name_step(m, site, number, Op.WRITE)
    m.state["name", number] = name
    return 0


def _name(m: Machine, site: int, number: int, place: int, size: int) -> int:
    if size < _NAME:
        return ERANGE
    _name_step(m, site, number, Op.READ)
    m.memory.write(place, m.state.get(("name", number), m.path.split("/")[-1].encode()[: _NAME - 1]) + b"\0", site)
    return 0


def _control(m: Machine, site: int, option: int, place: int = 0, *_more: int) -> int:
    """``prctl``: the name of the running thread, which is cut where it is too long."""
    number = m.threads.self_id()
    if option == _GET_NAME:
        return _name(m, site, number, place, _NAME)
    if option != _SET_NAME:
        m.run.stop(f"the run was cut: prctl() with option {option} is not modelled ({m.location(site)})")
    text = m.memory.text(place, site)[: _NAME - 1]
    _name_step(m, site, number, Op.WRITE)
    m.state["name", number] = text
    return 0


def _name_step(m: Machine, site: int, number: int, op: Op) -> None:
    name = m.state.get(("name", number), b"")
    m.memory.step(op, (ATOMIC, f"the name of thread {number:#x}"), site, lambda: ("str", name.decode("latin-1")))


def _set(m: Machine, address: int, size: int, value: int, site: int) -> int:
    m.memory.store(address, size, value, site)
    return 0


def _mutex_init(m: Machine, site: int, address: int, attributes: int) -> int:
    kind, robust, protocol = (
        attribute(m, site, attributes, "pthread_mutexattr", each) for each in ("type", "robust", "protocol")
    )
    if protocol == PRIO_PROTECT:
        _count(m, "mutexes of PTHREAD_PRIO_PROTECT, which a thread of another priority can't lock")
    inherits = protocol == PRIO_INHERIT
    return int(
        m.threads.initialise(address, site, lambda name: Mutex(name, kind, robust=bool(robust), inherits=inherits))
    )


def _condition_init(m: Machine, site: int, address: int, attributes: int) -> int:
    clock = attribute(m, site, attributes, "pthread_condattr", "clock")
    return int(m.threads.initialise(address, site, lambda name: ConditionVariable(name, clock)))


def _count(m: Machine, text: str) -> None:
    """Something is not modelled on which a verdict might depend."""
    m.run.untracked[text] = m.run.untracked.get(text, 0) + 1


#: A time that is none.
INVALID: Final = -inf

#: The time on each clock at which every execution begins. CLOCK_REALTIME begins in November 2023.
REALTIME: Final = 0
EPOCH, _UPTIME = 1_700_000_000, 1_000
CLOCKS: Final = {0: EPOCH, 1: _UPTIME, 2: 0, 3: 0, 4: _UPTIME, 5: EPOCH, 6: _UPTIME, 7: _UPTIME, 11: EPOCH}

#: The clocks that waits have: CLOCK_REALTIME and CLOCK_MONOTONIC.
WAITED_BY: Final = (0, 1)


def interval(m: Machine, address: int, site: int) -> float:
    """The seconds that a ``timespec`` gives; INVALID if its nanoseconds are none."""
    seconds = int.from_bytes(m.memory.read(address, 8, site), "little", signed=True)
    nanoseconds = int.from_bytes(m.memory.read(address + 8, 8, site), "little", signed=True)
    return seconds + nanoseconds / 1e9 if 0 <= nanoseconds < 1_000_000_000 else INVALID


def deadline(m: Machine, address: int, site: int, clock: int = REALTIME) -> float:
    """The seconds until a time that is given by a ``timespec``; INVALID if it is none, or waits have no such clock."""
    wanted = interval(m, address, site)
    if wanted == INVALID or clock not in WAITED_BY:
        return INVALID
    return max(0.0, wanted - CLOCKS[clock] - m.run.now())


def condition_at(m: Machine, address: int, site: int) -> ConditionVariable:
    """The condition variable at an address."""
    found: ConditionVariable = m.threads.known(address, ConditionVariable, site, ConditionVariable)
    return found


def failed_with(m: Machine, error: int) -> int:
    """The result of a function that returns -1 and sets ``errno``."""
    if error:
        set_errno(m, error)
        return -1
    return 0


def _sleep(m: Machine, site: int, seconds: float) -> int:
    m.run.sleep(seconds, site)
    return 0


def _zero(_m: Machine, _site: int, *_arguments: Any) -> int:
    return 0


#: Functions that change nothing here: hints for the scheduler of a machine, and handlers of fork(), which is not known.
_WITHOUT_EFFECT: Final = (
    *("pthread_attr_setaffinity_np", "pthread_setaffinity_np", "sched_setaffinity"),
    *("pthread_setconcurrency", "pthread_atfork"),
)

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **STORAGE,
    "pthread_create": _created,
    "pthread_join": lambda m, site, number, place: m.threads.join(site, number, place),
    "pthread_detach": _detach,
    "pthread_self": lambda m, site: m.threads.self_id(),
    "pthread_equal": lambda m, site, one, other: int(one == other),
    **ATTRIBUTES,
    **dict.fromkeys(_WITHOUT_EFFECT, _zero),
    "pthread_tryjoin_np": _try_join,
    "pthread_timedjoin_np": lambda m, site, number, place, when: m.threads.join(
        site, number, place, timeout=deadline(m, when, site) if when else None
    ),
    "pthread_clockjoin_np": lambda m, site, number, place, clock, when: m.threads.join(
        site, number, place, timeout=deadline(m, when, site, clock) if when else None
    ),
    "pthread_setschedparam": lambda m, site, number, policy, parameters: _set_priority(
        m, site, number, policy, int(m.memory.load(parameters, 4, site))
    ),
    "pthread_setschedprio": lambda m, site, number, priority: _set_priority(m, site, number, 0, priority),
    "pthread_getschedparam": _priority,
    "sched_setscheduler": lambda m, site, process, policy, parameters: failed_with(
        m, _set_priority(m, site, m.threads.self_id(), policy, int(m.memory.load(parameters, 4, site)))
    ),
    "sched_getscheduler": lambda m, site, process: 0,
    "sched_get_priority_min": _bound(least=True),
    "sched_get_priority_max": _bound(least=False),
    "pthread_setname_np": _set_name,
    "pthread_getname_np": _name,
    "prctl": _control,
    "pthread_mutex_consistent": lambda m, site, address: m.threads.make_consistent(
        m.threads.mutex(address, site), site
    ),
    "pthread_mutex_clocklock": attempting(
        lambda m, site, address, clock, when: (
            m.threads.lock(m.threads.mutex(address, site), site, deadline(m, when, site, clock))
            if clock in WAITED_BY
            else EINVAL
        )
    ),
    "pthread_mutex_getprioceiling": lambda m, site, address, place: EINVAL,  # that protocol is not modelled
    "pthread_mutex_setprioceiling": lambda m, site, address, ceiling, place: EINVAL,
    "pthread_mutex_init": _mutex_init,
    "pthread_mutex_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_mutex_lock": lambda m, site, address: m.threads.lock(m.threads.mutex(address, site), site),
    "pthread_mutex_trylock": attempting(
        lambda m, site, address: m.threads.try_lock(m.threads.mutex(address, site), site)
    ),
    "pthread_mutex_timedlock": attempting(
        lambda m, site, address, when: m.threads.lock(m.threads.mutex(address, site), site, deadline(m, when, site))
    ),
    "pthread_mutex_unlock": lambda m, site, address: m.threads.unlock(m.threads.mutex(address, site), site),
    "pthread_spin_init": lambda m, site, address, shared: m.threads.initialise(
        address, site, lambda name: Mutex(name, NORMAL)
    ),
    "pthread_spin_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_spin_lock": lambda m, site, address: m.threads.lock(m.threads.spin_lock(address, site), site),
    "pthread_spin_trylock": attempting(
        lambda m, site, address: m.threads.try_lock(m.threads.spin_lock(address, site), site)
    ),
    "pthread_spin_unlock": lambda m, site, address: m.threads.unlock(m.threads.spin_lock(address, site), site),
    "pthread_cond_init": _condition_init,
    "pthread_cond_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_cond_signal": lambda m, site, address: m.threads.signal(condition_at(m, address, site), site, all_=False),
    "pthread_cond_broadcast": lambda m, site, address: m.threads.signal(
        condition_at(m, address, site), site, all_=True
    ),
    "sched_yield": lambda m, site: _sleep(m, site, 0.0),
    "pthread_yield": lambda m, site: _sleep(m, site, 0.0),
    "sleep": lambda m, site, seconds: _sleep(m, site, float(seconds)),
    "usleep": lambda m, site, microseconds: _sleep(m, site, microseconds / 1e6),
}
