"""An abstract model of ``queue.Queue``: a step takes a place in the queue, and another one waits for the item there.

CPython's own queue is a deque, a lock and three conditions. All its operations take the lock, so each order of them has
to be explored, though hardly any program can distinguish orders in which a `put` and a `get` change places. In the
model

- `get` takes the next number at the *head* (a step), and waits for the item of that number (a step);
- `put` takes the next number at the *tail*, and brings the item of that number. If the queue has a maximum size, it
  waits in between until the item has been taken that many numbers before;
- `task_done` is no step. If threads call `join`, it and `put` count the unfinished tasks, and `join` waits for zero.

So two `get` of different threads conflict, and two `put`, but not a `put` and a `get` of different items.

Why this is exact. Taking a number only affects the order of the threads that take one. An execution of the model
becomes one of CPython's code if each item is taken as soon as its number is taken and the item is there: the thread
that takes it makes no further step by that, and threads that wait for room only wait less. Conversely, an execution of
CPython's code is one of the model in which threads take numbers where they take, or bring, items. The same threads wait
for ever in both, except for their numbers, which no program can see.

The number of items, and whether there is any, can be seen: `qsize`, `empty`, `full`, and any wait that may give up.
With these, and with other uses that the model does not cover, CPython's own code is run: where a run meets such a use
while there are other threads, this is learnt for the queue (:meth:`Fifo.give_up`), and the search begins again. The
other uses are

- a subclass that stores items in its own way (`LifoQueue` and `PriorityQueue` do);
- a look at the items, the lock or a condition, in any way: the lock reports its first use (``locks.guarded``);
- `task_done` by a thread that has not got as many items as it calls that: it might fail; `shutdown`.

Steps: see the table in ``docs/reference/primitives.md``. Source: ``Lib/queue.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import queue
from collections import deque
from sys import _getframe
from typing import Any, Final

from mazurka.program.protocol import Access, CountChange
from mazurka.program.python.primitives import locks
from mazurka.program.python.primitives.abstract_models import AbstractModel, mark_of
from mazurka.program.python.primitives.private import Stored
from mazurka.program.python.primitives.run import INNER, Models, Where, describe, here
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.python.semantics.objects import describe as describe_value
from mazurka.program.python.semantics.objects import number
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Op
from mazurka.trace.targets import STRUCTURE, VALUES, Kind, Target

_Queue: Final[Any] = queue.Queue

#: The methods of CPython.
_original: Final[dict[tuple[type, str], Any]] = {}

#: The methods by which a subclass stores items in its own way.
_STORING: Final = {name: [_Queue.__dict__[name]] for name in ("_init", "_qsize", "_put", "_get")}


class QueueWait:
    """The event that a thread at a queue waits for, in words."""

    def __init__(self, event: str, thing: Any, born: Where | None) -> None:
        self.event = event
        self.thing = thing
        self.born = born

    def describe(self) -> str:
        return describe(f"{self.event} Queue", self.born)

    def holder(self) -> Task | None:
        return None


class Fifo(AbstractModel):
    """The state inside one run of a queue that is run abstractly.

    ``present`` are the numbers of the items in the deque of the queue, in the same order.
    """

    __slots__ = ("born", "got", "head", "looked", "present", "tail", "taken", "thing")

    kind = "queue"

    def __init__(self, models: Models, thing: Any, lock: locks.Lock) -> None:
        super().__init__(models, lock)
        self.thing = thing
        self.born = lock._born
        self.head = 0
        self.tail = len(thing.__dict__["queue"])
        self.present = deque(range(self.tail))
        self.taken: set[int] = set()
        self.got: dict[int, int] = {}  # by thread: items that it has got and not finished
        self.looked = False  # whether a thread that was alone has looked at the items

    # -- locations ----------------------------------------------------------------------------------------------------

    def _end(self, which: str) -> Target:
        return (Kind.QUEUE_END.tag, self.number, which)

    def _item(self, place: int) -> Target:
        return (Kind.QUEUED.tag, self.number, place)

    def _room(self, place: int) -> Target:
        """The location that taking an item writes."""
        return (Kind.QUEUED.tag, self.number, place, "taken")

    @property
    def _unfinished(self) -> Target:
        return (Kind.UNFINISHED.tag, self.number)

    @property
    def _counts(self) -> bool:
        """Whether threads wait for the end of tasks."""
        return mark_of("joined", self.number) in self.models.runtime.points

    # -- reports ------------------------------------------------------------------------------------------------------

    @property
    def target(self) -> Target:
        """The location by which the program's name of the queue is kept."""
        return self._end("tail")

    def _show(self, place: int, item: Any) -> None:
        """Detail: name the locations of a place in the queue as the program calls the queue; the value of the last step
        is the item."""
        runtime = self.models.runtime
        if not runtime.detail or runtime.keyed:
            return
        if self.target not in runtime.names:
            runtime.on_use(runtime, self)
        name = runtime.names.get(self.target, "")
        for target in (self._end("head"), self._item(place), self._room(place), self._unfinished):
            runtime.names.setdefault(target, name)
        runtime.record_value(runtime.look_up(lambda: describe_value(item)))

    # -- operations ---------------------------------------------------------------------------------------------------

    def put(self, item: Any) -> None:
        """Take a place at the tail, and bring the item there. Only the first step is a point: no thread can go on with
        the item, or use the room, before the second step."""
        runtime, size = self.models.runtime, self.thing.maxsize
        self.calls += 1
        counted = (Access(Op.RMW, self._unfinished),) if self._counts else ()
        runtime.visit(Op.RMW, self._end("tail"), 0, None, counted, True)
        place = self.tail
        self.tail += 1
        self._note_count(1)
        runtime.record_value(self.tail)
        self._show(place, item)
        if size > 0 and place >= size:
            before = place - size
            free = QueueWait("room in", self.thing, self.born)
            brought = (Access(Op.WRITE, self._item(place)),)
            runtime.block(
                Op.READ, self._room(before), lambda: before in self.taken, waiting_for=free, point=False, more=brought
            )
        else:
            runtime.visit(Op.WRITE, self._item(place), 0, None, (), False)
            self._show(place, item)
        space = self.thing.__dict__
        space["queue"].append(item)
        space["unfinished_tasks"] += 1
        self.present.append(place)
        self.calls -= 1

    def get(self) -> Any:
        """Take a place at the head, and wait for the item there: as in :meth:`put`, only the first step is a point."""
        runtime = self.models.runtime
        self.calls += 1
        runtime.visit(Op.RMW, self._end("head"), 0, None, (), True)
        place = self.head
        self.head += 1
        runtime.record_value(self.head)
        self._show(place, None)
        item = QueueWait("an item in", self.thing, self.born)
        freed = (Access(Op.WRITE, self._room(place)),) if self.thing.maxsize > 0 else ()
        runtime.block(
            Op.READ, self._item(place), lambda: place in self.present, waiting_for=item, point=False, more=freed
        )
        position = self.present.index(place)
        items = self.thing.__dict__["queue"]
        items.rotate(-position)
        taken = items.popleft()
        self._show(place, taken)
        items.rotate(position)
        del self.present[position]
        self.taken.add(place)
        me = runtime.current.index
        self.got[me] = self.got.get(me, 0) + 1
        self.calls -= 1
        return taken

    def task_done(self) -> None:
        """Finish a task that the running thread has got here; other threads notice this only if they wait."""
        runtime = self.models.runtime
        self.calls += 1
        if self._counts:
            runtime.visit(Op.RMW, self._unfinished, 0, None, (), True)
            self._note_count(-1)
        else:
            runtime.drain()  # stores arrive, as with the lock of CPython's code
        self.got[runtime.current.index] -= 1
        space = self.thing.__dict__
        space["unfinished_tasks"] -= 1
        if self._counts:
            runtime.record_value(space["unfinished_tasks"])
        self.calls -= 1

    def join(self) -> None:
        """Wait until no task is unfinished."""
        runtime, space = self.models.runtime, self.thing.__dict__
        runtime.need_points(mark_of("joined", self.number))
        over = QueueWait("the end of all tasks of", self.thing, self.born)
        self.calls += 1
        runtime.block(Op.READ, self._unfinished, lambda: space["unfinished_tasks"] == 0, waiting_for=over)
        self._note_count(0)
        self.calls -= 1

    def _note_count(self, change: int) -> None:
        """The last step changes the number of unfinished tasks, or has waited until it was zero. Where a `put` waits
        for room, it is counted before it changes the number."""
        runtime = self.models.runtime
        if runtime.relates and self._counts and not (runtime.solo or runtime.aborting) and self.thing.maxsize <= 0:
            before = self.thing.__dict__["unfinished_tasks"]
            runtime.count_changes[len(runtime.log) - 1] = CountChange(self._unfinished, change, before)

    def look(self) -> bool:
        """Look at the number of items; false if other threads may change it meanwhile."""
        runtime = self.models.runtime
        if has_concurrent_threads(runtime):
            return False
        runtime.visit(Op.READ, self._end("tail"), 0, None, (Access(Op.READ, self._end("head")),), True)
        return True


def _fifo_of(thing: Any) -> Fifo | None:
    """The model of a queue in this run; None if CPython's own code is to run the queue."""
    models = here()
    if models is None:
        return None
    runtime, space = models.runtime, thing.__dict__
    if runtime.solo or runtime.is_recording or runtime.aborting:
        return None
    fifo: Fifo | None = space.get("_mz_fifo")
    if fifo is None or fifo.models is not models:
        fifo = _begin(models, thing)
        if fifo is None:
            return None
    if fifo.mark in runtime.points:
        return None
    if fifo.looked and has_concurrent_threads(runtime):
        fifo.give_up()
        runtime.need_points(mark_of("shown", fifo.number))
        return None
    return fifo


def _begin(models: Models, thing: Any) -> Fifo | None:
    """Begin to run a queue abstractly, with the items that it has."""
    space, kind = thing.__dict__, type(thing)
    peeked = space.get("_mz_peeked")
    if peeked is True or peeked is models or space.get("is_shutdown"):
        return None
    if any(name in space or getattr(kind, name) not in known for name, known in _STORING.items()):
        return None
    lock = space.get("mutex")
    if type(lock) is not locks.Lock or type(space.get("queue")) is not deque:
        return None
    if mark_of("queue", lock._number) in models.runtime.points or (lock._models is models and not lock._free()):
        return None
    fifo = space["_mz_fifo"] = Fifo(models, thing, lock)
    return fifo


# -- methods -----------------------------------------------------------------------------------------------------------


def put(self: Any, item: Any, block: bool = True, timeout: float | None = None) -> None:
    """``Queue.put``: by the model, unless the call may time out."""
    fifo = _fifo_of(self)
    if fifo is not None:
        size = self.maxsize
        if size <= 0 or (block and timeout is None):
            fifo.put(item)
            return
        if fifo.look() and (not block or timeout is None or timeout >= 0) and len(self.__dict__["queue"]) < size:
            fifo.put(item)
            return
        fifo.give_up()
    _original[_Queue, "put"](self, item, block, timeout)


def get(self: Any, block: bool = True, timeout: float | None = None) -> Any:
    """``Queue.get``: by the model, unless the call may time out."""
    fifo = _fifo_of(self)
    if fifo is not None:
        if block and timeout is None:
            return fifo.get()
        if fifo.look() and (not block or timeout is None or timeout >= 0) and self.__dict__["queue"]:
            return fifo.get()
        fifo.give_up()
    return _original[_Queue, "get"](self, block, timeout)


def task_done(self: Any) -> None:
    """``Queue.task_done``: by the model for the thread that has got the task."""
    fifo = _fifo_of(self)
    if fifo is not None:
        if fifo.got.get(fifo.models.runtime.current.index):
            fifo.task_done()
            return
        fifo.give_up()
    _original[_Queue, "task_done"](self)


def join(self: Any) -> None:
    """``Queue.join``."""
    fifo = _fifo_of(self)
    if fifo is not None:
        fifo.join()
    else:
        _original[_Queue, "join"](self)


def _looking(name: str) -> Any:
    def look(self: Any) -> Any:
        fifo = _fifo_of(self)
        if fifo is not None:
            if fifo.look():
                size = len(self.__dict__["queue"])
                return size if name == "qsize" else not size if name == "empty" else 0 < self.maxsize <= size
            fifo.give_up()
        return _original[_Queue, name](self)

    return look


def shutdown(self: Any, immediate: bool = False) -> None:
    """``Queue.shutdown``, from 3.13 on."""
    fifo = _fifo_of(self)
    if fifo is not None:
        fifo.give_up()
    _original[_Queue, "shutdown"](self, immediate)


def peeked(thing: Any) -> None:
    """The program gets at attributes that CPython's own code uses."""
    models = here()
    if models is None:
        thing.__dict__["_mz_peeked"] = True
    elif models.runtime.solo:
        thing.__dict__.setdefault("_mz_peeked", models)
    elif (fifo := _fifo_of(thing)) is not None:
        fifo.looked = True
        if not fifo.look():
            fifo.give_up()


def shown(thing: Any) -> None:
    """The program gets the container of a queue's items, which it may use without the queue's methods from now on."""
    peeked(thing)
    models, lock = here(), thing.__dict__.get("mutex")
    thing.__dict__["_mz_shown"] = True if models is None else models
    if models is not None and type(lock) is locks.Lock and has_concurrent_threads(models.runtime):
        models.runtime.need_points(mark_of("shown", lock._number))


def is_shown(thing: Any, models: Models) -> bool:
    """Whether the program may use the container of a queue's items without the queue's methods."""
    known, lock = thing.__dict__.get("_mz_shown"), thing.__dict__.get("mutex")
    if known is True or known is models:
        return True
    return type(lock) is locks.Lock and mark_of("shown", lock._number) in models.runtime.points


def storing(owner: type, name: str) -> Any:
    """Stands for a method that stores an item, takes one, or counts them: a step on the container if the program may
    use the container itself."""

    def store(self: Any, *args: Any) -> Any:
        models = here()
        if models is not None and not models.runtime.solo and is_shown(self, models):
            items, words = number(self.__dict__["queue"]), f"the items of a {type(self).__name__}"
            if name == "_qsize":
                pass_step(models, read((STRUCTURE, items), words))
            else:
                pass_step(models, change((STRUCTURE, items), words), change((VALUES, items), words))
        return _original[owner, name](self, *args)

    if owner is _Queue:
        _STORING[name].append(store)
    return store


class OfTheQueue(Stored):
    """An attribute that only the constructor assigns to, and that the program may get at."""

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        if thing is None or self.name not in thing.__dict__:
            raise AttributeError(f"{getattr(owner, '__name__', '')!r} object has no attribute {self.name!r}")
        if _getframe(1).f_code.co_filename not in INNER:
            peeked(thing)
        return thing.__dict__[self.name]


#: Attribute of `queue.Queue` -> its replacement.
REPLACEMENTS: Final[dict[str, Any]] = {
    "put": put,
    "get": get,
    "task_done": task_done,
    "join": join,
    **{name: _looking(name) for name in ("qsize", "empty", "full")},
    **({"shutdown": shutdown} if hasattr(_Queue, "shutdown") else {}),
    **{name: storing(_Queue, name) for name in ("_put", "_get", "_qsize")},
    **{name: OfTheQueue(name) for name in ("mutex", "not_empty", "not_full", "all_tasks_done")},
}
