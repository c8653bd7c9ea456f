"""The objects in memory that no thread can notice another one use, whose accesses therefore are no steps.

An object is *owned* in an execution while, of any two accesses of a word of which one writes it or ends the object's
life, the first happens before the second by the program's forks and joins alone: a thread's own variables that are in
memory, an array that it sorts, arguments prepared for a new thread, results that are read after the join, elements that
are each one thread's, and tables that no thread changes after the first fork. No schedule has these accesses in another
order, so that an execution without them has the same races, and others follow from it as before.

All accesses of other objects are steps. How an address has come to a thread does not matter, whether it was stored,
computed or guessed: an object is *shared* by the first access that is not in order, as are those that are made at the
same place of the program. That is a mark among the learned points, and executions made without it are made again; in
the present one, earlier accesses teach the sites that need points, as if they had been steps.

Where an execution records values for an explorer, which has to know all that a thread has read, accesses of owned
objects are steps, too, but no points: so a schedule means the same as elsewhere.

Not under TSO or PSO, where a step is also when a store arrives, and not where properties are watched.

Cost: a third of a microsecond for an access.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.sharing import LATELY
from mazurka.program.runtime.task import Task
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Target

#: An execution is cut once a thread has made so many accesses in a row that are no steps.
_LONGEST: Final = 100_000

#: Added to the marks of shared objects.
_SHARED: Final = 1 << 37

_READ: Final = Op.READ

#: An access: the thread's index, its time, the operation, the offset, the size (0: of the object's life), the site.
OwnedAccess = tuple[int, int, Op, int, int, int]

#: The bytes of a word, in which threads' accesses are put in order, and the word that stands for the object's life.
_WORD: Final = 8
_LIFE: Final = -1

#: A write of a larger object is an effect of a pass of a loop, whether it changes the object or not.
_MOST_BYTES: Final = 64

#: An object of which several threads access more words in one go is shared.
_MOST_WORDS: Final = 4_096


class Owned(Protocol):
    """An object in memory."""

    kind: str
    serial: int  # its place among the objects of its thread
    size: int
    unknown: Any  # the bytes of it that depend on inputs; None: none has so far
    is_foreign: bool
    life: Target
    mark: int  # among the learned points, that it is shared
    owner: str
    use: ObjectUse | None  # while it is owned, and has been accessed since there are several threads
    is_shared: bool

    def cells(self, at: int, size: int) -> tuple[Target, ...]:
        """The locations of an access."""
        ...

    def content(self) -> tuple[bytes, bytes]:
        """Its bytes, and those that say which of them are initialised."""
        ...


class ObjectUse:
    """The accesses of an owned object; ``words`` is empty while ``only`` one thread has made any."""

    __slots__ = ("accesses", "only", "words")

    def __init__(self, only: int) -> None:
        self.accesses: set[OwnedAccess] = set()
        self.only = only  # -1: several threads
        self.words: dict[int, _WordUse] = {}


class _WordUse:
    """The accesses of a word: the thread and time of the last write, and the times of each thread's reads since."""

    __slots__ = ("readers", "writer")

    def __init__(self) -> None:
        self.writer = (-1, 0)
        self.readers: dict[int, int] = {}


def mark_of(kind: str, name: str, place: str) -> int:
    """The mark of objects of a kind and name that are made in a function, or of one that has its name to itself."""
    return -1 - (crc32(f"{kind}:{name}:{place}".encode()) | _SHARED)


def _words(at: int, size: int) -> Iterable[int]:
    return range(at // _WORD, (at + size - 1) // _WORD + 1) if size else (_LIFE,)


def _note(word: _WordUse, op: Op, thread: int, time: int) -> None:
    if op is not _READ:
        word.writer = (thread, time)
        word.readers.clear()
    else:
        word.readers[thread] = time


class Ownership:
    """The owned objects of one execution after another. ``times`` has a count of forks and joins for each thread: an
    access at a time happens before another thread's if that thread has ``seen`` a later time."""

    def __init__(self) -> None:
        self.run: Runtime = None  # type: ignore[assignment]  # set by restart()
        self.count = 0  # accesses
        self.has_all_steps = False  # whether accesses of owned objects are steps, too
        self._steps = 0  # the steps before the last one; with all steps: the points
        self._since = 0  # the accesses before these steps
        self._running = -1  # the thread that made it
        self._changed: dict[int, dict[Owned, tuple[bytes, bytes]]] = {}  # by thread: objects before writes of its pass
        self._begun: dict[int, int] = {}  # by thread: the objects that it had made when its last pass of a loop began
        self.times: dict[int, int] = {}
        self.seen: dict[int, dict[int, int]] = {}

    def restart(self, run: Runtime, *, has_all_steps: bool = False) -> None:
        """Begin an execution."""
        self.run = run
        self.has_all_steps = has_all_steps
        self.count = self._steps = self._since = 0
        self.times.clear()
        self.seen.clear()
        self._begun.clear()
        self._changed.clear()

    # -- forks and joins ----------------------------------------------------------------------------------------------

    def fork(self, parent: int, child: int) -> None:
        """A thread is about to start another one."""
        time = self.times.get(parent, 0) + 1
        self.times[parent] = time
        self.seen[child] = {**self.seen.get(parent, {}), parent: time}

    def join(self, waiting: int, ended: int) -> None:
        """A thread has seen the end of another one."""
        seen = self.seen.setdefault(waiting, {})
        for thread, time in self.seen.get(ended, {}).items():
            seen[thread] = max(seen.get(thread, 0), time)
        seen[ended] = self.times.get(ended, 0) + 1
        self.times[waiting] = self.times.get(waiting, 0) + 1

    def _is_before(self, thread: int, time: int, now: int) -> bool:
        """Whether an access of a thread happens before the next one of another thread."""
        return thread == now or thread < 0 or self.seen.get(now, {}).get(thread, 0) > time

    # -- accesses -----------------------------------------------------------------------------------------------------

    def holds(self, thing: Owned, op: Op, at: int, size: int, site: int) -> bool:
        """Whether the running thread's access leaves an object owned; otherwise it is shared from now on."""
        task = self.run.current
        index = task.index
        use = thing.use
        if use is None:
            use = thing.use = ObjectUse(index)
        if use.only != index and not self._is_in_order(use, op, at, size, index):
            self.share(thing)
            return False
        self.count += 1
        steps = self.run.scheduler.cursor if self.has_all_steps else len(self.run.log)
        if steps != self._steps or index != self._running:
            self._steps, self._since, self._running = steps, self.count, index
        elif self.count - self._since > _LONGEST:
            self.run.stop(f"the run was cut after {_LONGEST} accesses of a thread that no other one can notice")
        use.accesses.add((index, self.times.get(index, 0), op, at, size, site))
        if self.has_all_steps:
            return True
        if op is _READ:
            if task.loops and size:
                self._note_reads(task, thing.cells(at, size))
        else:
            task.silent += not (size and self._is_judged_later(thing, task))
            task.clock_reads = 0
        return True

    # -- passes of loops ----------------------------------------------------------------------------------------------

    def begin_pass(self, task: Task, made: int) -> None:
        """A thread, which has made so many objects, begins a pass of a loop: its writes since the last one are an
        effect if they have changed an object."""
        self._begun[task.index] = made
        changed = self._changed.pop(task.index, None)
        if changed and any(thing.content() != before for thing, before in changed.items()):
            task.silent += 1

    def _is_judged_later(self, thing: Owned, task: Task) -> bool:
        """Whether it is known only at the end of a pass of a loop if a write is an effect; it is none if the thread has
        made the variable since the pass began: that is gone then, or has an address that no earlier pass knows."""
        begun = self._begun.get(task.index)
        if begun is None or thing.size > _MOST_BYTES or thing.unknown is not None:
            return False
        if thing.kind != "stack" or thing.owner != task.name or thing.serial <= begun:
            changed = self._changed.setdefault(task.index, {})
            if thing not in changed:
                changed[thing] = thing.content()
        return True

    def _is_in_order(self, use: ObjectUse, op: Op, at: int, size: int, index: int) -> bool:
        """Whether all accesses of an object that conflict with a new one happen before it, by forks and joins."""
        if use.only >= 0:
            if sum(size // _WORD + 1 for _, _, _, _, size, _ in use.accesses) > _MOST_WORDS:
                return False
            use.only = -1
            for thread, time, how, start, length, _ in sorted(use.accesses):
                for word in _words(start, length):
                    _note(use.words.setdefault(word, _WordUse()), how, thread, time)
        if size // _WORD > _MOST_WORDS:
            return False
        time = self.times.get(index, 0)
        for word in _words(at, size) if size or op is _READ else list(use.words):
            known = use.words.setdefault(word, _WordUse())
            if not self._is_before(*known.writer, index):
                return False
            if op is not _READ and not all(self._is_before(*each, index) for each in known.readers.items()):
                return False
            _note(known, op, index, time)
        return True

    def _note_reads(self, task: Task, cells: tuple[Target, ...]) -> None:
        """In a loop: a pass that reads unchanged locations may be one that only repeats the last one."""
        versions = self.run.accounts.versions
        task.reads += [(cell, versions.get(cell, 0)) for cell in cells]

    def end_run(self, things: Iterable[Owned]) -> None:
        """An execution has been cut. If a thread has gone on alone for long, the accesses of others to its objects are
        not known: they are shared. (As for steps, see :meth:`mazurka.program.runtime.sharing.Sharing.learn_loop`.)"""
        if self.count - self._since >= LATELY:
            for thing in things:
                if thing.use is not None and any(access[0] == self._running for access in thing.use.accesses):
                    self.share(thing, for_certain=True)

    # -- sharing ------------------------------------------------------------------------------------------------------

    def share(self, thing: Owned, *, for_certain: bool = False) -> None:
        """Make each further access of an object a step. Unless it has not been accessed, or ``for_certain`` all the
        same, this execution lacks steps, and is made again with the mark."""
        thing.is_shared = True
        use, thing.use = thing.use, None
        run = self.run
        if use is None and not for_certain:
            return
        run.sharing.learn((thing.mark,))
        if use is None:
            return
        names = [task.name for task in run.tasks]
        for index, _, op, at, size, site in sorted(use.accesses):
            is_foreign = names[index] != thing.owner
            thing.is_foreign = thing.is_foreign or is_foreign
            accesses = [Access(op, cell) for cell in (thing.cells(at, size) if size else ())]
            if thing.owner and (is_foreign or thing.kind == "heap"):
                accesses.append(Access(_READ if size else op, thing.life))
            for each in accesses:
                run.sharing.touch(index, each.op, each.target, site, site in run.points)
                if run.careful and not WRITES[each.op]:
                    self._change(each.target)

    def _change(self, target: Target) -> None:
        """A thread that is held, because it would only read a location again, goes on: it may be written now."""
        versions = self.run.accounts.versions
        versions[target] = versions.get(target, 0) + 1
