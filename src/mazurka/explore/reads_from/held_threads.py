"""Executions in which a thread stays in a loop for ever, derived from those in which it leaves (see mcr.py).

A thread is held where the next pass of its loop would repeat the one before, until a location that the pass has read is
written again. It stays there for ever if the writes that it has read from are the last ones. No read tells which write
is the last, so no read is offered that leads there. In a run in which the thread goes on, take away the step with which
it does, and all steps that need that one: the others are those of a run in which it stays, if they can be put in an
order in which the right writes are last.

So a run offers for each step that its thread has made before, where a pass may begin: all steps that do not need the
step, in an order in which the writes that the pass has read from are the last of their locations. That is in vain if

- no other write of these locations can come after the pass: then nothing else has let the thread go on;
- another thread would just go on, with a step that does not wait: then a run in which it has gone on offers more.
  Where it would begin a pass of a loop, it has to be held, too, and so have those that the run holds at its end, and
  those that have read from a write which is to be the last one, and then from others.

Whether the threads are held then is left to the run.

Cost: for each repeated step of a run, at most one question.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent
from mazurka.program.protocol import Step
from mazurka.trace.event import Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.ids import StepIndex, ThreadIndex
from mazurka.trace.targets import Kind, Target, Trait, kind_of

#: A kind of target that is waited for, in a search whose threads have been held.
LOOPS: Final = Kind.SPIN.tag

#: Before accesses to data no thread waits, unless a target has one of these traits.
_ACCESSES: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})
_WAITING: Final = Trait.WAITS | Trait.ORDERS

#: (location, write it reads from) of each read.
Sources = tuple[tuple[Any, StepIndex], ...]


class HeldThread(NamedTuple):
    """A thread held in a loop whose pass has read from ``sources``, after which come no other writes of the locations:
    ``writes`` are the last ones of all threads."""

    thread: ThreadIndex
    sources: Sources
    writes: tuple[StepIndex, ...]

    def look(self) -> HypotheticalEvent:
        """The thread's look at its locations, which comes after the ``writes``."""
        return HypotheticalEvent(self.thread, self.sources, ())


class HeldThreads(NamedTuple):
    """Threads that a run may hold at once: ``past`` are the steps by thread that do not need their going on; ``step``
    is that with which the first one has gone on."""

    step: StepIndex
    past: tuple[int, ...]
    threads: tuple[HeldThread, ...]


class LoopsOfRun:
    """The loops of one run. ``log`` are its steps, ``polled`` the locations that threads read which are held at its
    end."""

    def __init__(self, history: History, log: Sequence[Step], polled: Mapping[ThreadIndex, tuple[Target, ...]]) -> None:
        self.history = history
        self.log = log
        self.polled = polled
        self._repeats: dict[StepIndex, StepIndex] = {}  # by step: the last one of its thread that does the same
        for own in history.threads:
            latest: dict[Any, StepIndex] = {}
            for step in own:
                key = log[step][1:4]  # operation, target and place in the source
                if key in latest:
                    self._repeats[step] = latest[key]
                latest[key] = step

    def held_threads(self) -> Iterator[HeldThreads]:
        """The threads that may have been held, by the step before which the first one was."""
        for step in self._repeats:
            threads, past = self._held_with(step)
            held = [self._held(thread, read, past) for thread, read in threads.items()]
            later = [
                self._is_written_later(target, each, past) for read in threads.values() for target, each in read.items()
            ]
            if any(later) and all(
                thread in threads or count == len(own) or self._waits_at(own[count])
                for thread, (own, count) in enumerate(zip(self.history.threads, past, strict=True))
            ):
                yield HeldThreads(step, tuple(past), tuple(held))

    def _held_with(self, step: StepIndex) -> tuple[dict[ThreadIndex, dict[Any, StepIndex]], list[int]]:
        """The threads that are held if one is held before ``step``, with the reads of their passes; and the steps by
        thread that do not need their going on."""
        history = self.history
        held = dict[ThreadIndex, dict[Any, StepIndex]]()
        past = list(map(len, history.threads))
        going_on: StepIndex | None = step
        while going_on is not None:
            held[history.numbers[going_on]] = self._read_in_pass(going_on)
            self._take_away(going_on, past)
            going_on = self._next_going_on(held, past)
        for thread in self.polled:
            if thread not in held and past[thread] == len(history.threads[thread]):
                held[thread] = self._latest_reads(thread)
        return held, past

    def _take_away(self, step: StepIndex, past: list[int]) -> None:
        """Take a step, and all that need it, from ``past``."""
        history = self.history
        thread, position = history.numbers[step], history.positions[step]
        for other, own in enumerate(history.threads):
            without = (
                position
                if other == thread
                else bisect_left(own, True, key=lambda each: history.clocks[each][thread] > position)
            )
            past[other] = min(past[other], without)

    def _next_going_on(
        self, held: Mapping[ThreadIndex, Mapping[Any, StepIndex]], past: Sequence[int]
    ) -> StepIndex | None:
        """A step with which one more thread would have to be held: it stands before a pass of a loop, or goes on after
        it has read from one of the writes that are the last, and sees others."""
        history = self.history
        sources = {target: dict(history.reads[each])[target] for read in held.values() for target, each in read.items()}
        for thread, own in enumerate(history.threads):
            if thread in held:
                continue
            for step in own[: past[thread]]:
                for target, source in history.reads[step]:
                    last = sources.get(target, source)
                    if last != source and last != INITIAL and history.needs(step, last):
                        found = self._pass_that_reads(target, last, step)
                        if found is not None:
                            return found
            if past[thread] < len(own) and own[past[thread]] in self._repeats and not self._waits_at(own[past[thread]]):
                return own[past[thread]]
        return None

    def _pass_that_reads(self, target: Any, source: StepIndex, step: StepIndex) -> StepIndex | None:
        """The repeated step up to ``step`` before which a pass has read the location from ``source``."""
        history = self.history
        own = history.threads[history.numbers[step]]
        for each in reversed(own[: history.positions[step] + 1]):
            if each in self._repeats:
                read = self._read_in_pass(each)
                if target in read and (target, source) in history.reads[read[target]]:
                    return each
        return None

    def _read_in_pass(self, step: StepIndex) -> dict[Any, StepIndex]:
        """The locations that the pass before a repeated step reads and does not write, each with the last step that
        reads it."""
        history = self.history
        own = history.threads[history.numbers[step]]
        steps = own[history.positions[self._repeats[step]] : history.positions[step]]
        written = {target for each in steps for target in history.writes[each]}
        read = {target: each for each in steps for target, _ in history.reads[each]}
        return {target: each for target, each in read.items() if target not in written and target in history.writers}

    def _latest_reads(self, thread: ThreadIndex) -> dict[Any, StepIndex]:
        """The locations that a thread polls at the end, each with the last step of it that reads it."""
        history = self.history
        read = {target: each for each in history.threads[thread] for target, _ in history.reads[each]}
        return {target: read[target] for target in self.polled[thread] if target in read and target in history.writers}

    def _held(self, thread: ThreadIndex, read: Mapping[Any, StepIndex], past: Sequence[int]) -> HeldThread:
        history = self.history
        sources = [(target, dict(history.reads[step])[target]) for target, step in read.items()]
        writes = [write for target in read for write in self._last_writes(target, past)]
        return HeldThread(thread, tuple(sources), tuple(dict.fromkeys(writes)))

    def _last_writes(self, target: Any, past: Sequence[int]) -> list[StepIndex]:
        """The last write of each thread to a location."""
        history = self.history
        last: dict[int, StepIndex] = {}
        for write in history.writers[target]:
            if history.positions[write] < past[history.numbers[write]]:
                last[history.numbers[write]] = write
        return list(last.values())

    def _is_written_later(self, target: Any, read: StepIndex, past: Sequence[int]) -> bool:
        """Whether another write than the one that the step reads from may come after it."""
        history = self.history
        return any(
            history.positions[write] < past[history.numbers[write]] and not history.needs(read, write)
            for write in history.writers[target]
        )

    def _waits_at(self, step: StepIndex) -> bool:
        """Whether a thread may have to wait before the step."""
        _, op, target, _, _, _, more = self.log[step]
        targets = [target, *[access.target for access in more]]
        return op not in _ACCESSES or any(kind_of(each).has(_WAITING) for each in targets)

    def signature(self, held: HeldThreads) -> int:
        """That of the run in which the threads are held, see :meth:`~mazurka.causal.history.History.signature`."""
        history = self.history
        states = [
            (fingerprint_of_name(name), history.states[own[count]] if count < len(own) else history.final_states[task])
            for task, (name, own, count) in enumerate(zip(history.tasks, history.threads, held.past, strict=True))
            if count or not task
        ]
        return hash(tuple(sorted(states)))
