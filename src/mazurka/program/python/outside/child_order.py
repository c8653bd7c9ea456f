"""Children of a run, and the order of their acts and the steps of threads that holds in all orders of these steps.

A child runs beside the threads from the step that starts it to the step that sees its end. Its acts come after a step
that comes before that start, and before a step that comes after that end, as far as this follows from starts of threads
and waits for their ends, which are the same in all orders. Locks are left out: whether an explorer tries both orders of
two critical sections depends on the accesses that it sees in them, and it sees none of children.

Cost: one pass over the steps of a run, and one more for each child.
"""

from __future__ import annotations

import posix
import posixpath
from collections.abc import Sequence
from typing import Final, NamedTuple

from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.outside import files
from mazurka.program.python.outside.child_watch import ChildWatch
from mazurka.program.python.outside.paths import entry
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Kind, Target, kind_of

#: Seconds to wait for processes that a child has started, and that may outlive it.
LATER: Final = 0.5


class RunPosition(NamedTuple):
    """A position in a run: the thread, the number of steps, and the steps of other threads that come before it."""

    thread: int
    step: int


class ChildProcess:
    """A child of the run."""

    def __init__(self, words: str, begun: RunPosition) -> None:
        self.words = words
        self.begun = begun
        self.ended: RunPosition | None = None
        self.watch = ChildWatch()
        self.served_by: int | None = None  # the thread that has called `communicate`
        self.is_signalled = False
        self.pid = 0

    def saw_end(self, place_: RunPosition) -> None:
        """A step of the run has seen the child's end."""
        if self.ended is None:
            self.ended = place_
            if not self.watch.wait(LATER):
                self.watch.acts.troubles.add(f"a child process ({self.words}) that leaves other processes running")
                self.watch.end_all()
                self.watch.wait(LATER)
            self.note_written()

    def note_written(self) -> None:
        """Note the state of the files that the child has written: the journal recognises files by it."""
        for path in list(self.watch.acts.written):
            with contextlib.suppress(OSError):
                files.wrote(path, posix.stat(path))


class _KnownOrder:
    """The order of steps that holds in all orders of the threads: that of the steps of one thread, and that which
    follows from starting threads and waiting for their ends."""

    def __init__(self, runtime: Runtime) -> None:
        self.known: list[dict[int, int]] = []  # by step: the last step of each other thread that comes before it
        self._threads = [index for index, *_ in runtime.log]
        known: dict[int, dict[int, int]] = {}
        starter = 0
        for step, (index, op, target, *_) in enumerate(runtime.log):
            if op is Op.FORK:
                starter = index
            elif op is Op.BEGIN:
                known[index] = {**known.get(starter, {}), starter: step} if index != starter else {}
            elif op is Op.JOIN and kind_of(target) is Kind.THREAD:
                ended = runtime.by_name[target[1]].index
                known[index] = {
                    **known.get(index, {}),
                    **_later(known.get(ended, {}), known.get(index, {})),
                    ended: step,
                }
            self.known.append(known.get(index, {}))

    def is_before(self, thread: int, step: int, place_: RunPosition) -> bool:
        """Whether a step comes before a position."""
        if thread == place_.thread:
            return step < place_.step
        return self._known_at(place_).get(thread, -1) >= step

    def is_after(self, thread: int, step: int, place_: RunPosition | None) -> bool:
        """Whether a step comes after a position."""
        if place_ is None:
            return False
        if thread == place_.thread:
            return step >= place_.step
        return self.known[step].get(place_.thread, -1) >= place_.step

    def are_apart(self, one: ChildProcess, other: ChildProcess) -> bool:
        """Whether one child ends before the other one starts."""
        return any(
            first.ended is not None
            and (
                first.ended.step <= second.begun.step
                if first.ended.thread == second.begun.thread
                else self._known_at(second.begun).get(first.ended.thread, -1) >= first.ended.step
            )
            for first, second in ((one, other), (other, one))
        )

    def _known_at(self, place_: RunPosition) -> dict[int, int]:
        for step in range(min(place_.step, len(self.known)) - 1, -1, -1):
            if self._threads[step] == place_.thread:
                return self.known[step]
        return {}


def _later(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    return {thread: max(step, other.get(thread, -1)) for thread, step in one.items()}


def conflicts(runtime: Runtime, children: Sequence[ChildProcess]) -> set[str]:
    """Unordered uses of one location by a child, and by a thread or another child, in words."""
    order = _KnownOrder(runtime)
    found = set()
    for position, child in enumerate(children):
        accesses = child.watch.acts.accesses
        for other in children[:position]:
            for target in accesses.keys() & other.watch.acts.accesses.keys():
                if not (accesses[target] or other.watch.acts.accesses[target]) or order.are_apart(child, other):
                    continue
                if not (_both_add(target) and accesses[target] and other.watch.acts.accesses[target]):
                    found.add(f"two child processes that use {_named(target)} at the same time")
        for step, (index, op, target, _, _, _, more) in enumerate(runtime.log):
            for how, each in ((op, target), *[(access.op, access.target) for access in more]):
                writes = _writes(accesses, each)
                if writes is None or not (writes or WRITES[how]) or (_both_add(each) and writes and WRITES[how]):
                    continue
                if not (order.is_before(index, step, child.begun) or order.is_after(index, step, child.ended)):
                    found.add(f"a child process and a thread that use {_named(each)} at the same time")
    return found


def _writes(accesses: dict[Target, bool], target: Target) -> bool | None:
    """Whether a child writes the location that a step accesses; None if it does not use the location.

    Of a database of `sqlite3`, or a file beside it, any use counts as a change. A path also leads through folders that
    the child may make or remove.
    """
    match kind_of(target):
        case Kind.DATABASE:
            path = str(target[1])
            return any(kind_of(each) is Kind.FILE and str(each[1]).startswith(path) for each in accesses) or None
        case Kind.ENTRY | Kind.FILE | Kind.DIRECTORY:
            path = str(target[1])
            while len(path) > 1:
                path = posixpath.dirname(path)
                if accesses.get(entry(path)[0]):
                    return True
    return accesses.get(target)


def _both_add(target: Target) -> bool:
    """Whether a location is the content of a folder: additions and removals of different entries commute."""
    return kind_of(target) is Kind.DIRECTORY


def _named(target: Target) -> str:
    return " ".join(map(str, target[1:]))
