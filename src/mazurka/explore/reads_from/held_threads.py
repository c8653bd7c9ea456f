"""Executions in which a thread stays in a loop for ever, derived from those in which it leaves (see mcr.py).

A thread is held where the next pass of its loop would repeat the one before, until a location that the pass reads has
another value. It stays there if the last writes of these locations have the values that it has seen, whichever came
before. No read tells these writes apart, so no read is offered that leads there. In a run in which the thread goes on,
take away the step with which it does, and all steps that need that one: the others are those of a run in which it
stays, if the locations can be written last by the right threads.

So a run offers for each step that its thread has made before, where a pass may begin, and for the last writes of the
locations read since then: all steps that do not need the step, in an order in which these writes are last. Other
threads that the run holds see the last writes that they see in it. Whether the thread is held then is left to the run.

Cost: for each repeated step of a run, one question for each combination of last writes: of one write for each thread
that writes the location.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.ids import SiteNumber, StepIndex, ThreadIndex
from mazurka.trace.targets import Kind, Target

#: A kind of target that is waited for, in a search whose threads have been held.
LOOPS: Final = Kind.SPIN.tag

#: The most combinations of last writes for one step.
MOST: Final = 64


class HeldThread(NamedTuple):
    """A thread that a run may have held: ``past`` are the steps by thread that do not need its going on. The locations
    that its pass reads have these ``sources``, the last write of each thread is one of ``writes``."""

    thread: ThreadIndex
    step: StepIndex
    past: tuple[int, ...]
    sources: tuple[tuple[Any, StepIndex], ...]
    writes: tuple[StepIndex, ...]

    def look(self) -> HypotheticalEvent:
        """The thread's look at its locations, which comes after the ``writes``."""
        return HypotheticalEvent(self.thread, self.sources, ())


class HeldThreads:
    """The threads that one run may have held. ``sites`` are those of its steps, ``polled`` the locations that threads
    read which are held at its end."""

    def __init__(
        self, history: History, sites: Sequence[SiteNumber], polled: Mapping[ThreadIndex, tuple[Target, ...]]
    ) -> None:
        self.history = history
        self.sites = sites
        self.polled = polled
        self.capped = False  # whether some combinations of last writes have been left out

    def all(self) -> Iterator[HeldThread]:
        """The threads and the steps before which they may have been held, with each combination of last writes."""
        history = self.history
        for thread, own in enumerate(history.threads):
            latest: dict[Any, int] = {}
            for position, step in enumerate(own):
                key = self.sites[step] or history.reads[step][:1]
                if key in latest:
                    read = self._read_in_pass(own[latest[key] : position])
                    yield from self._held(ThreadIndex(thread), step, read)
                latest[key] = position

    def _read_in_pass(self, steps: Sequence[StepIndex]) -> list[Any]:
        """The locations that a pass reads and does not write."""
        history = self.history
        written = {target for step in steps for target in history.writes[step]}
        read = dict.fromkeys(target for step in steps for target, _ in history.reads[step])
        return [target for target in read if target not in written and target in history.writers]

    def _held(self, thread: ThreadIndex, step: StepIndex, targets: list[Any]) -> Iterator[HeldThread]:
        if not targets:
            return
        history = self.history
        position = history.positions[step]
        past = tuple(
            [
                position
                if other == thread
                else bisect_left(own, True, key=lambda each: history.clocks[each][thread] > position)
                for other, own in enumerate(history.threads)
            ]
        )
        choices = [self._last_writes(target, past) for target in targets]
        writes = tuple(dict.fromkeys(write for each in choices for write in each if write != INITIAL))
        for number, sources in enumerate(product(*choices)):
            if number == MOST:
                self.capped = True
                return
            yield HeldThread(thread, step, past, tuple(zip(targets, sources, strict=True)), writes)

    def _last_writes(self, target: Any, past: Sequence[int]) -> list[StepIndex]:
        """The last write of each thread to a location; the initial value if none of these writes takes place."""
        history = self.history
        last: dict[int, StepIndex] = {}
        for write in history.writers.get(target, ()):
            if history.positions[write] < past[history.numbers[write]]:
                last[history.numbers[write]] = write
        return list(last.values()) or [INITIAL]

    def others(self, held: HeldThread) -> list[HeldThread]:
        """The other threads that the run holds at its end, if none of their locations changes."""
        history, found = self.history, list[HeldThread]()
        for thread, targets in self.polled.items():
            if thread == held.thread or held.past[thread] < len(history.threads[thread]):
                continue
            choices = {target: self._last_writes(target, held.past) for target in targets}
            sources = {target: max(each) for target, each in choices.items()}
            if all(source == INITIAL or source == history.writers[target][-1] for target, source in sources.items()):
                writes = tuple(dict.fromkeys(each for some in choices.values() for each in some if each != INITIAL))
                found.append(HeldThread(thread, held.step, held.past, tuple(sources.items()), writes))
        return found

    def signature(self, held: HeldThread) -> int:
        """That of the run in which the thread is held, see :meth:`~mazurka.causal.history.History.signature`."""
        history = self.history
        states = [
            (fingerprint_of_name(name), history.states[own[count]] if count < len(own) else history.final_states[task])
            for task, (name, own, count) in enumerate(zip(history.tasks, history.threads, held.past, strict=True))
            if count or not task
        ]
        return hash(tuple(sorted(states)))
