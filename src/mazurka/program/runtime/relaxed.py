"""The runtime under TSO and PSO: stores reach the others late, as :mod:`mazurka.program.memory` says.

A store is native and takes effect on the heap at once. So the heap is made to show the values that the running thread
may see: those in memory, and over them the newest values of the thread's own stores that have not reached memory yet
(forwarding comes for free). When another thread moves, the content of memory is put back and the other's stores are
shown.

A flusher is a thread like others to the scheduler, with a greenlet of its own that waits for a store, stops at the
point where it reaches memory, and puts it there. So schedules, choices and blocking need nothing new.

A front end decides which stores can be held back (program/python/weak_memory/store_slots.py). Every other operation
that changes something, and all that synchronises (locks, starting and ending of threads, queues ...) drains first. A
read of several locations of which two or more hold the thread's own stores drains, too. Sites that are no points store
to memory at once, unless a store to the same location is on its way: no other thread reads it. If, under TSO, another
thread reads it nevertheless, a store may have overtaken others; such a run is dropped: it has shown which site needs a
point, and the search begins again.

Invariants: ``shown`` is the only thread whose stores are on the heap in place of the content of memory, and ``hidden``
holds the values of memory at their locations. A thread's store is read off the heap before another thread moves.

Cost: a store takes two switches more; putting views in place, as many heap accesses as there are pending stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Final, Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.program.memory import MemoryModel, flushed_target, flusher, is_flusher, store_target
from mazurka.program.protocol import Access, Divergence, Plan
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.sharing import Sharing
from mazurka.program.runtime.task import Learned, Limits, Task
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import PointIndex
from mazurka.trace.targets import CLOCK, FENCE, Target

_READ: Final = Op.READ

_CLOCK: Final = "a look at the clock while stores are on their way"


class StoreSlot(Protocol):
    """Where a location is on the heap."""

    def look(self) -> Any:
        """The present value, or a front end's mark for none."""
        ...

    def put(self, value: Any) -> None:
        """Replace the value. No effect if there is no such location any more."""
        ...


@dataclass(slots=True, eq=False)
class BufferedStore:
    """A store on its way: to be the ``number``-th of its queue to arrive."""

    target: Target
    place: StoreSlot
    site: int
    number: int
    step: int  # in the log
    first: tuple[tuple[Queue, int], ...]  # stores that must arrive before it
    value: Any = None
    words: Any = None  # detail: the value in words
    look: Callable[[], Any] | None = None  # detail: gives the value of the location in words


@dataclass(slots=True, eq=False)
class Queue:
    """Stores on their way, oldest first, and how many have arrived."""

    name: str
    entries: list[BufferedStore] = field(default_factory=list)
    stored: int = 0
    arrived: int = 0


@dataclass(slots=True, eq=False)
class Buffer:
    """The store buffer of one thread: stores that other threads may not see yet."""

    queues: dict[Target | None, Queue] = field(default_factory=dict)  # under TSO there is one, under None
    newest: dict[Target, BufferedStore] = field(default_factory=dict)
    unsure: dict[Target, tuple[Queue, int]] = field(default_factory=dict)  # latest stores not known to have arrived
    fresh: BufferedStore | None = None  # announced, and to be read off the heap once it has been carried out
    place: StoreSlot | None = None  # of the store that is about to be announced
    ordered: bool = False  # whether that store may not overtake those before it

    def owed(self) -> tuple[tuple[Queue, int], ...]:
        """For each queue, the latest store that is not known to have arrived."""
        latest: dict[Queue, int] = {}
        for queue, number in self.unsure.values():
            latest[queue] = max(number, latest.get(queue, 0))
        return tuple(latest.items())

    def know(self, queue: Queue, number: int) -> None:
        """A store is seen to have arrived, and so have those before it in its queue."""
        self.unsure = {t: s for t, s in self.unsure.items() if s[0] is not queue or s[1] > number}


class _WatchedSharing(Sharing):
    """Reports accesses to locations that were stored to at once, while earlier stores were on their way, to its run."""

    __slots__ = ("_run",)

    def __init__(self, run: RelaxedRuntime) -> None:
        super().__init__(run.points)
        self._run = run

    def touch(self, index: int, op: Op, target: Target, site: int, point: bool) -> None:
        super().touch(index, op, target, site, point)
        if target in self._run.hasty:
            self._run.touched_in_haste(target)


class RelaxedRuntime(Runtime):
    """One run under TSO or PSO."""

    def __init__(self, plan: Plan, learned: Learned, limits: Limits, model: MemoryModel) -> None:
        super().__init__(plan, learned, limits)
        self.be_careful()  # hooks are to leave every step to us
        self.model = model
        self.buffers: dict[Task, Buffer] = {}
        self.shown: Buffer | None = None
        self.hidden: dict[Target, tuple[StoreSlot, Any]] = {}
        self.hasty: set[Target] = set()  # locations stored to at once although stores before were on their way
        self.sharing = _WatchedSharing(self)
        self.touched = self.sharing.touched

    def run(self, main: Callable[[], object]) -> None:
        on_stuck = self.on_stuck
        self.on_stuck = lambda runtime, tasks: on_stuck(runtime, [task for task in tasks if not is_flusher(task.name)])
        super().run(main)
        self.blocked = [each for each in self.blocked if not is_flusher(self.tasks[each.task].name)]

    @property
    def buffer(self) -> Buffer:
        """The store buffer of the running thread."""
        return self._buffer_of(self.current)

    def _buffer_of(self, task: Task) -> Buffer:
        found = self.buffers.get(task)
        if found is None:
            found = self.buffers[task] = Buffer()
        return found

    def is_shared(self, target: Target) -> bool:
        """Whether several threads have accessed it so far, and one has written it."""
        return bool(self.touched.get(target, (0,))[0] == -1)

    # -- the content of the heap --------------------------------------------------------------------------------------

    def _stop_before(self, task: Task, op: Op, target: Target, site: int, point: bool = True) -> None:
        super()._stop_before(task, op, target, site, point)
        self._show(task)

    def _show(self, task: Task) -> None:
        """Put the values on the heap that ``task`` may see."""
        buffer = self._buffer_of(task)
        if self.shown is buffer:
            return
        self._hide()
        for target, entry in buffer.newest.items():
            self._cover(target, entry.place)
            entry.place.put(entry.value)
        self.shown = buffer

    def _cover(self, target: Target, place: StoreSlot) -> None:
        if target not in self.hidden:
            self.hidden[target] = place, place.look()

    def _hide(self) -> None:
        """Put the values of memory on the heap."""
        if self.shown is not None:
            self._read_off(self.shown)
            self.shown = None
        for place, value in self.hidden.values():
            place.put(value)
        self.hidden.clear()

    def _read_off(self, buffer: Buffer) -> None:
        """Read the value of the last store announced."""
        entry, buffer.fresh = buffer.fresh, None
        if entry is None:
            return
        entry.value = entry.place.look()
        if callable(entry.words):
            entry.words = self.look_up(entry.words)
            step = self.log[entry.step]
            self.log[entry.step] = (*step[:5], entry.words, *step[6:])

    # -- operations ---------------------------------------------------------------------------------------------------

    def visit(
        self,
        op: Op,
        target: Target,
        site: int,
        value: Any = None,
        more: tuple[Access, ...] = (),
        point: bool | None = None,
    ) -> None:
        if self.solo or self.aborting:
            super().visit(op, target, site, value, more, point)
            return
        self._show(self.current)
        buffer = self.buffer
        place, ordered = buffer.place, buffer.ordered
        buffer.place, buffer.ordered = None, False
        if op is Op.WRITE and place is not None and all(access.op is _READ for access in more):
            self._store(buffer, place, ordered, Access(op, target, value), site, more, point)
            return
        accesses = (Access(op, target), *more)
        if any(WRITES[access.op] for access in accesses):
            if target is CLOCK and buffer.unsure:  # a real clock may be read while stores are on their way
                self.untracked[_CLOCK] = self.untracked.get(_CLOCK, 0) + 1
            self.drain(site)
        else:
            own = [access.target for access in accesses if READS[access.op] and access.target in buffer.unsure]
            if len(own) == 1:
                if self._read_own(buffer, own[0], site, value, accesses, point):
                    return
            elif own:
                self.drain(site)
        super().visit(op, target, site, value, more, point)

    def hold_back(self, place: StoreSlot | None, ordered: bool = False) -> None:
        """``ordered`` says that the store may not overtake those before it."""
        buffer = self.buffer
        buffer.place, buffer.ordered = place, ordered

    def block(self, op: Op, target: Target, ready: Callable[[], bool], **how: Any) -> bool:
        self.drain(how.get("site", 0))
        return super().block(op, target, ready, **how)

    def attempt(
        self,
        op: Op,
        target: Target,
        succeeds: Callable[[], bool],
        more: Sequence[Access] = (),
        look: Callable[[], Any] | None = None,
    ) -> bool:
        self.drain()
        return super().attempt(op, target, succeeds, more, look)

    def fork(self, body: Callable[[], object], *, daemon: bool, thread: Any = None, label: str = "") -> Task:
        self.drain()
        parent = self.current
        task = super().fork(body, daemon=daemon, thread=thread, label=label)
        self._show(parent)
        return task

    def relate(self, earlier: Task, task: Task) -> None:
        """No threads are alike: their buffers have names of their own."""

    def bound(self, target: Target, site: int) -> bool:
        """Log a store that has happened without being announced; whether its site is known to need points."""
        self.sharing.touch(self.current.index, Op.WRITE, target, site, False)
        super().visit(Op.WRITE, target, site, None, (), False)
        return site in self.points

    def touched_in_haste(self, target: Target) -> None:
        """A location that was stored to at once has been accessed again: the store was wrong if another thread reads
        it."""
        if self.is_shared(target):
            self.divergence = Divergence(
                PointIndex(self.scheduler.cursor), "no other thread reads it", f"{target} is shared", harmless=True
            )
            self.stop()

    def _is_point(self, task: Task, accesses: Sequence[Access], site: int, point: bool | None) -> bool:
        if point is not None:
            return point
        for access in accesses:
            self.sharing.touch(task.index, access.op, access.target, site, site in self.points)
        return site in self.points

    def drain(self, site: int = 0) -> None:
        """Wait until the running thread's stores have reached memory."""
        buffer = self.buffers.get(self.current)
        if buffer is None or not buffer.unsure or self.aborting:
            return
        owed = buffer.owed()
        more = tuple([Access(_READ, flushed_target(queue.name, number)) for queue, number in owed])
        super().block(Op.FENCE, FENCE, partial(_have_arrived, owed), site=site, point=False, more=more)
        buffer.unsure.clear()

    def _store(
        self,
        buffer: Buffer,
        place: StoreSlot,
        ordered: bool,
        access: Access,
        site: int,
        more: tuple[Access, ...],
        point: bool | None,
    ) -> None:
        """Pass a store that other threads see later."""
        task, target = self.current, access.target
        point = self._is_point(task, (access, *more), site, point)
        if not point and target not in buffer.newest:
            if buffer.newest and self.model is MemoryModel.TSO:
                self.hasty.add(target)
            self._record(task, access.op, target, site, False, access.value, more)
            return
        if more and point:
            self._stop_before(task, access.op, target, site)
        self._read_off(buffer)
        queue = self._queue(buffer, target)
        queue.stored += 1
        first = buffer.owed() if ordered and self.model is MemoryModel.PSO else ()
        entry = BufferedStore(target, place, site, queue.stored, len(self.log), first)
        stored = store_target(queue.name, entry.number)
        self._name(stored, target)
        self._record(task, access.op, stored, site, bool(more and point), None, more)
        entry.words = access.value
        entry.look = access.value if callable(access.value) else None
        self._cover(target, place)
        queue.entries.append(entry)
        buffer.newest[target] = buffer.fresh = entry
        buffer.unsure[target] = queue, entry.number
        if queue.stored == 1:
            self._start(queue, buffer, task)

    def _read_own(
        self,
        buffer: Buffer,
        target: Target,
        site: int,
        value: Any,
        accesses: tuple[Access, ...],
        point: bool | None,
    ) -> bool:
        """Test whether the own store to one of the locations has arrived; if not, the read returns its value."""
        task = self.current
        queue, number = buffer.unsure[target]
        flushed = flushed_target(queue.name, number)
        self._name(flushed, target)
        point = self._is_point(task, accesses, site, point)
        if point:
            self._stop_before(task, _READ, flushed, site)
        if queue.arrived < number:
            rest = tuple([access for access in accesses if access.target != target])
            self._record(task, _READ, flushed, site, point, value, rest)
            return True
        buffer.know(queue, number)
        self._record(task, _READ, flushed, site, point, None, ())
        return False

    def _name(self, target: Target, location: Target) -> None:
        if self.detail and location in self.names:
            self.names[target] = self.names[location]

    # -- queues -------------------------------------------------------------------------------------------------------

    def _queue(self, buffer: Buffer, target: Target) -> Queue:
        key = None if self.model is MemoryModel.TSO else target
        queue = buffer.queues.get(key)
        if queue is None:
            number = len(buffer.queues) + 1 if key is not None else 0
            queue = buffer.queues[key] = Queue(flusher(self.current.name, number))
        return queue

    def _start(self, queue: Queue, buffer: Buffer, owner: Task) -> None:
        """Start the flusher of a queue and run it up to its first point."""
        task = self._new_task(queue.name, partial(self._flush, queue, buffer), daemon=True)
        task.clock = owner.clock
        task.starter = owner
        self.current = task
        self._carry(task)
        self._show(owner)

    def _flush(self, queue: Queue, buffer: Buffer) -> None:
        """The endless loop of a flusher."""
        task = self.current
        while True:
            number = queue.arrived + 1
            ready = partial(_has_entries, queue)
            super().block(_READ, store_target(queue.name, number), ready, point=False)
            entry = queue.entries[0]
            if entry.first:
                more = tuple([Access(_READ, flushed_target(each.name, count)) for each, count in entry.first])
                super().block(Op.FENCE, FENCE, partial(_have_arrived, entry.first), point=False, more=more)
            self._stop_before(task, Op.WRITE, entry.target, entry.site)
            if self.keyed and entry.look is not None:
                self.record_first(entry.target, self.look_up(entry.look))
            seen = (Access(Op.WRITE, flushed_target(queue.name, number)),)
            self._record(task, Op.WRITE, entry.target, entry.site, True, entry.words, seen)
            stacks = self.accounts.stacks
            if entry.step in stacks:
                stacks[len(self.log) - 1] = stacks[entry.step]
            del queue.entries[0]
            queue.arrived = number
            if buffer.newest.get(entry.target) is entry:
                del buffer.newest[entry.target]
            entry.place.put(entry.value)


def _has_entries(queue: Queue) -> bool:
    return bool(queue.entries)


def _have_arrived(stores: tuple[tuple[Queue, int], ...]) -> bool:
    return all(queue.arrived >= number for queue, number in stores)
