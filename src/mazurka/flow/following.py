"""Recorded paths as facts about executions: a thread that takes another way than it took when it was recorded stays
there for good, so that only executions go on in which every thread follows its path.

A thread's path is compared block by block. Up to its last number it's certain; behind it the thread may have gone on a
part of one of several ways (:meth:`~mazurka.flow.decoding.Decoder.open_paths`), and no further. A thread that the
recording doesn't have had not begun.

Idle passes. A thread that waits in a loop natively goes round thousands of times. In an execution here it goes round
less often, since it's held while a pass would only repeat the one before. So it may leave out passes of its path that
repeat the last one, if that one only read. This is the one departure from the path.

Outside. What the program brought in from outside is given to it again: results of library functions, and the bytes that
they stored. Time wasn't recorded, so sleeps take none: whatever they were there for, other threads may do before or
after.

Cost: 0.3 us a block of an execution, and what decoding takes.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.flow.decoding import BlockId, Decoder
from mazurka.flow.externals import INPUTS, plain_name
from mazurka.flow.files import read
from mazurka.flow.reading import names_of, plan_of, require_unchanged
from mazurka.flow.recording import Recording, ThreadRecord
from mazurka.flow.stream import Input
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.c_library import LibraryFunction
from mazurka.program.llvm.machine import Machine
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Op
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import ASSUMPTION

#: How many ways behind the last number are told apart; with more, a thread may go any way there.
_MOST_WAYS: Final = 1000

#: The longest pass of a loop, in blocks, that can be left out.
_LONGEST_PASS: Final = 32

_SLEEPS: Final = frozenset("usleep sleep nanosleep clock_nanosleep thrd_sleep".split())


@dataclass(frozen=True, slots=True)
class RecordedPath:
    """A thread's path: the numbers of the blocks that are certain, and of those on each way behind them. ``rounds`` are
    the ways that may go round in a loop at their ends. ``inputs`` came from outside, by the functions that brought
    them."""

    blocks: Sequence[int]
    ways: tuple[tuple[int, ...], ...]
    rounds: frozenset[int] = frozenset()
    inputs: tuple[tuple[str, Input], ...] = ()


#: The path of a thread that had not begun.
_NOT_BEGUN: Final = RecordedPath((), ((),))


@dataclass(slots=True)
class _Walk:
    """A thread in an execution: how many ``blocks`` of its path it has behind it, how many of the tail behind it, on
    which of the ``ways`` it may be. ``marks`` are the lengths of the log when it came to its blocks."""

    path: RecordedPath | None
    blocks: int = 0
    tail: int = 0
    ways: list[int] = field(default_factory=list)
    is_free: bool = False
    stopped: bool = False
    inputs: int = 0
    marks: list[int] = field(default_factory=list)


class FollowedPaths:
    """See the module, and :class:`~mazurka.program.llvm.known_paths.KnownPaths`. Unless it ``steers``, a thread that
    takes another way only is no longer compared; inputs are given all the same."""

    def __init__(self, recording: Recording) -> None:
        plan = plan_of(recording)
        self.text = recording.text
        self.steers = True
        self._machine: Machine | None = None
        self._walks: dict[int, _Walk] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._blocks = blocks = dict[BlockId, int]()
        for name, own in plan.functions.items():
            for at, block in enumerate(own.function.blocks):
                blocks[name, at] = self._numbers[name, block.name] = len(self._numbers)
        names = names_of(recording)
        self.threads: dict[str, RecordedPath] = {}
        for thread in recording.threads:
            if not thread.is_whole:
                raise MazurkaError(
                    "recording-incomplete",
                    f"the beginning of thread {names[thread.number]} is lost",
                    hint="record again, with a larger --ring or none",
                )
            decoder = Decoder(plan, thread.following, recording.about["stamps"])
            self.threads[names[thread.number]] = _path(decoder, thread, blocks)
        #: Whether threads may have run that the recording can't name.
        self.has_foreign = any(each.parent == 0 and each.number > 1 for each in recording.threads)
        self._fed = {name for path in self.threads.values() for name, _ in path.inputs}
        #: Whether executions depend on the recording beyond their paths.
        self.gives_inputs = bool(self._fed) or not _SLEEPS.isdisjoint(map(plain_name, plan.module.functions))

    # -- for the machine ----------------------------------------------------------------------------------------------

    def number(self, function: str, block: str) -> int | None:
        return self._numbers.get((function, block))

    def begin(self, machine: Machine) -> None:
        self._machine = machine
        self._walks.clear()

    def entered(self, number: int) -> None:
        machine = self._machine
        assert machine is not None
        run = machine.run
        if run.aborting:
            return
        task = run.current
        walk = self._walks.get(task.index) or self._walk(task)
        path = walk.path
        if path is None or walk.is_free:
            return
        if self._goes_on(walk, path, number) or any(
            self._goes_on(walk, path, number, place) for place in self._leaves_out(walk, path, task)
        ):
            walk.marks.append(len(run.log))
            return
        self._stop(walk)

    def library_function(self, name: str, function: LibraryFunction) -> LibraryFunction:
        plain = plain_name(name)
        if plain in _SLEEPS:
            return _without_time
        if plain not in self._fed and plain not in INPUTS:
            return function

        def given(machine: Machine, site: int, *arguments: Any) -> Any:
            found = self._next_input(machine.run.current, plain)
            if found is None or not found.kept:
                return function(machine, site, *arguments)
            return _deliver(machine, site, INPUTS.get(plain, 0), found, arguments)

        return given

    # -- for those who search -----------------------------------------------------------------------------------------

    def is_at_end(self, thread: str) -> bool:
        """Whether a thread has all of its certain path behind it, in the last execution, and took no other way."""
        assert self._machine is not None
        path = self.threads.get(thread)
        task = self._machine.run.by_name.get(thread)
        walk = None if task is None else self._walks.get(task.index)
        if path is None:
            return False
        return not path.blocks if walk is None else walk.blocks >= len(path.blocks) and not walk.stopped

    def ends(self, thread: str) -> list[BlockId]:
        """The blocks in which a thread may have ended: the last certain one, and all behind it."""
        path = self.threads.get(thread, _NOT_BEGUN)
        blocks = {*path.blocks[-1:], *[each for way in path.ways for each in way]}
        return [block for block, number in self._blocks.items() if number in blocks]

    def stopped(self) -> list[ThreadIndex]:
        """The threads that have taken another way, in the last execution."""
        return [ThreadIndex(index) for index, walk in self._walks.items() if walk.stopped]

    def progress(self) -> float:
        """How much of all paths was followed in the last execution, from 0 to 1."""
        total = sum(len(path.blocks) for path in self.threads.values())
        return sum(walk.blocks for walk in self._walks.values()) / total if total else 1.0

    # -- the walk -----------------------------------------------------------------------------------------------------

    def _walk(self, task: Task) -> _Walk:
        path = self.threads.get(task.name, None if self.has_foreign else _NOT_BEGUN)
        walk = self._walks[task.index] = _Walk(path)
        if path is not None:
            walk.ways = list(range(len(path.ways)))
        return walk

    def _leaves_out(self, walk: _Walk, path: RecordedPath, task: Task) -> Iterator[int]:
        """The places in a thread's certain path behind passes that repeat its last one, if that one only read."""
        assert self._machine is not None
        blocks, at, log, marks = path.blocks, walk.blocks, self._machine.run.log, walk.marks
        for length in range(1, min(_LONGEST_PASS, len(marks) - 1, at) + 1):
            last, after = blocks[at - length : at], at
            while blocks[after : after + length] == last:
                after += length
            if after != at and all(step[0] != task.index or step[1] is Op.READ for step in log[marks[-1 - length] :]):
                yield after

    def _goes_on(self, walk: _Walk, path: RecordedPath, number: int, place: int | None = None) -> bool:
        """Whether a thread may come to a block, from this place of its certain path; then it does."""
        at = walk.blocks if place is None else place
        if at < len(path.blocks):
            if path.blocks[at] != number:
                return False
            walk.blocks = at + 1
            return True
        if len(path.ways) < _MOST_WAYS:
            tail = walk.tail
            on = [way for way in walk.ways if tail < len(path.ways[way]) and path.ways[way][tail] == number]
            if on:
                walk.blocks, walk.ways, walk.tail = at, on, tail + 1
                return True
            if not any(way in path.rounds and tail >= len(path.ways[way]) for way in walk.ways):
                return False
        walk.blocks, walk.is_free = at, True
        return True

    def _stop(self, walk: _Walk) -> None:
        walk.stopped = walk.is_free = True
        if not self.steers:
            return
        machine = self._machine
        assert machine is not None
        machine.is_broken = True
        machine.memory.section.take_back()
        machine.run.block(Op.READ, ASSUMPTION, lambda: False, point=False)

    def _next_input(self, task: Task, name: str) -> Input | None:
        """What a function brought in when the thread called it; None if that isn't known."""
        walk = self._walks.get(task.index) or self._walk(task)
        inputs = walk.path.inputs if walk.path is not None else ()
        if walk.inputs >= len(inputs) or inputs[walk.inputs][0] != name:
            return None
        walk.inputs += 1
        return inputs[walk.inputs - 1][1]


def _path(decoder: Decoder, thread: ThreadRecord, numbers: dict[BlockId, int]) -> RecordedPath:
    """Decode a thread."""
    certain = array("I", [numbers[each] for each in decoder.certain()])
    ways = tuple([tuple([numbers[each] for each in way]) for way in decoder.open_paths(_MOST_WAYS)])
    inputs = tuple([(plain_name(name), found) for _, name, found in decoder.inputs])
    return RecordedPath(certain, ways or ((),), frozenset(decoder.rounds), inputs)


def _without_time(_machine: Machine, _site: int, *_arguments: Any) -> int:
    return 0


def _deliver(m: Machine, site: int, what: int, found: Input, arguments: Sequence[Any]) -> int:
    """Return what a function returned, after storing what it stored, as ``__mzk_input`` of `runtime.c` has kept it."""
    data = found.data
    match what:
        case 1 | 5:
            m.memory.write(arguments[1], data, site)
        case 2 if found.result:
            m.memory.write(arguments[0], data + b"\0", site)
            return int(arguments[0])
        case 3 | 7 | 8:
            m.memory.write(arguments[0], data, site)
        case 4 if found.result > 0:
            line = m.memory.allocate(len(data) + 1, "heap", "heap", data + b"\0")
            m.memory.store(arguments[0], 8, line.address, site)
            m.memory.store(arguments[1], 8, len(data) + 1, site)
        case 6 if found.result:
            return m.memory.allocate(len(data) + 1, "environment", "environment", data + b"\0").address
    return found.result


def open_recording(path: str) -> tuple[Recording, FollowedPaths]:
    """A recording, and its threads' paths.

    Raises :class:`~mazurka.errors.MazurkaError`: it can't be read, the program has changed, or something is missing
    from it.
    """
    recording = read(path)
    require_unchanged(recording, path)
    if recording.ending.lost:
        problem = f"its end is missing: {os.strerror(recording.ending.lost)}"
        raise MazurkaError("recording-incomplete", problem, where=path, hint="record again, with more room")
    try:
        return recording, FollowedPaths(recording)
    except MazurkaError as error:
        error.where = error.where or path
        raise
