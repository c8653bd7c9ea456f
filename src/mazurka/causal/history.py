"""A run as a causal model: threads of steps, the source of each read, and the must-happen-before edges.

The maximal causal model (dissertation of S. Huang, ch. 3.1.1) needs two axioms only: a prefix of a run is a run, and
a thread's next step is determined by its steps and reads so far. Hence a set of steps that is closed under
program order and reads-from can be executed in every order that keeps the reads-from.

Steps are numbered by their place in the log. Besides the accesses this module computes for every step

- its *clock*: how many steps of each thread it causally needs (itself included), by program order and reads-from;
- its *state*: a fingerprint of everything its thread had done and read before it, and its *print*: a fingerprint of all
  that and the step itself. Equal prints mean the same event, in different runs too: fingerprints are built only from
  thread names and from each other, so that they are stable across runs and processes. They have 61 bits: the chance of
  any collision among a million events is below one in a million.

Accesses that no other thread notices (:mod:`mazurka.trace.own_accesses`) are left out: the state stays as it is.

A step with a REQUEST among its accesses is an *attempt*: it would have failed rather than waited (a try-lock). Other
steps that acquire something wait until they can.

Cost: one pass over the log; a clock is shared by the steps of a thread until a read learns something new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.ids import StepIndex, ThreadIndex
from mazurka.trace.own_accesses import is_own_access
from mazurka.trace.targets import Kind, kind_of, wholes_of

#: The "step" that wrote a target's initial value.
INITIAL: Final = StepIndex(-1)

#: Fingerprint of the initial value of every target.
INITIAL_PRINT: Final = 0


class History:
    """The causal model of one run. Immutable once built; all lists are indexed by step unless they say otherwise."""

    __slots__ = (
        "_shared_steps",
        "acquires",
        "attempts",
        "clocks",
        "final_states",
        "frees",
        "looks",
        "numbers",
        "ops",
        "overwrites",
        "pending",
        "points",
        "positions",
        "prints",
        "readers",
        "reads",
        "states",
        "tasks",
        "threads",
        "writers",
        "writes",
    )

    def __init__(self, tasks: Sequence[str], log: Iterable[Any], blocked: Iterable[Any] = ()) -> None:
        """``log`` yields ``(task, op, target, site, point, value, more)``, ``blocked`` has task, op and target."""
        self.tasks = tasks
        self.threads: list[list[StepIndex]] = [[] for _ in tasks]  # by thread: its steps
        self.numbers: list[ThreadIndex] = []  # its thread
        self.positions: list[int] = []  # its place in its thread
        self.ops: list[Op] = []
        self.points: list[bool] = []
        self.reads: list[tuple[tuple[Any, StepIndex], ...]] = []  # (target, source step) of each reading access
        self.writes: list[tuple[Any, ...]] = []  # targets of the writing accesses
        self.overwrites: list[dict[Any, StepIndex]] = []  # by target that it reads and writes: the source of the read
        self.acquires: list[Any] = []  # the target that it acquires exclusively, and may wait for, or None
        self.clocks: list[list[int]] = []
        self.states: list[int] = []
        self.prints: list[int] = []
        self.writers: dict[Any, list[StepIndex]] = {}  # by target: the steps that write it
        self.looks: dict[Any, list[StepIndex]] = {}  # by target: the steps that read it
        self.readers: list[list[StepIndex]] = []  # the steps that read from it
        self.attempts: set[StepIndex] = set()  # the steps that would not have waited
        self.frees: set[tuple[StepIndex, Any]] = set()  # (step, lock it releases)
        self._shared_steps: frozenset[StepIndex] | None = None
        self._read_log(log)
        self.pending = [(b.task, b.op, b.target) for b in blocked]  # of operations that never happened

    def _read_log(self, log: Iterable[Any]) -> None:
        last: dict[Any, StepIndex] = {}
        current = [fingerprint_of_name(name) for name in self.tasks]
        now = [[0] * len(self.tasks) for _ in self.tasks]
        # Once for each step of each run that is read, so that each look-up of an attribute counts.
        prints, clocks, threads, numbers = self.prints, self.clocks, self.threads, self.numbers
        readers, writers, looks = self.readers, self.writers, self.looks
        all_reads, all_writes, acquires, states = self.reads, self.writes, self.acquires, self.states
        positions, overwrites, ops, points = self.positions, self.overwrites, self.ops, self.points
        for step, (task, op, target, site, point, _value, more) in cast(
            "Iterable[tuple[StepIndex, Any]]", enumerate(log)
        ):
            own = threads[task]
            position = len(own)
            own.append(step)
            numbers.append(task)
            positions.append(position)
            ops.append(op)
            points.append(point)
            readers.append(_NO_STEPS)
            before = current[task]
            states.append(before)
            if not point and is_own_access(op, target, site, more):
                all_reads.append(())
                all_writes.append(())
                overwrites.append(_NOTHING)
                acquires.append(None)
                clocks.append(now[task])
                prints.append(before)
                continue
            acquired = target if op is Op.ACQUIRE else None
            if more:
                reads, writes = self._read_all(step, op, target, more, last)
                if step in self.attempts:
                    acquired = None
                elif acquired is None:
                    acquired = next((access.target for access in more if access.op is Op.ACQUIRE), None)
                overwrites.append(overwritten(reads, writes) if reads and writes else _NOTHING)
            else:
                reads = ((target, last.get(target, INITIAL)),) if READS[op] else ()
                writes = (target,) if WRITES[op] else ()
                overwrites.append({target: reads[0][1]} if reads and writes else _NOTHING)
            if op is Op.RELEASE:
                self.frees.add((step, target))
            clock = now[task]
            sources = []
            for read, source in reads:
                if (known := looks.get(read)) is None:
                    looks[read] = [step]
                else:
                    known.append(step)
                if source < 0:
                    sources.append(INITIAL_PRINT)
                    continue
                sources.append(prints[source])
                if (seen := readers[source]) is _NO_STEPS:
                    readers[source] = [step]
                else:
                    seen.append(step)
                if numbers[source] != task:
                    clock = now[task] = _joined(clock, clocks[source], numbers[source], positions[source])
            current[task] = printed = hash((before, *sources))  # as `fingerprint`
            all_reads.append(reads)
            all_writes.append(writes)
            acquires.append(acquired)
            clocks.append(clock)
            prints.append(printed)
            for written in writes:
                last[written] = step
                if (known := writers.get(written)) is None:
                    writers[written] = [step]
                else:
                    known.append(step)
        self.final_states = current

    def _read_all(
        self, step: StepIndex, op: Op, target: Any, more: Iterable[Any], last: Mapping[Any, StepIndex]
    ) -> tuple[tuple[tuple[Any, StepIndex], ...], tuple[Any, ...]]:
        """The reads and writes of a step of several accesses."""
        reads = [(target, last.get(target, INITIAL))] if READS[op] else []
        writes = [target] if WRITES[op] else []
        for access in more:
            if READS[access.op]:
                reads.append((access.target, last.get(access.target, INITIAL)))
            if WRITES[access.op]:
                writes.append(access.target)
            if access.op is Op.RELEASE:
                self.frees.add((step, access.target))
            elif access.op is Op.REQUEST:
                self.attempts.add(step)
        reads = list(dict.fromkeys(reads))
        return tuple(_with_structure_first(reads) if op is Op.READ else reads), tuple(writes)

    # -- causes -----------------------------------------------------------------------------------------------------

    def needs(self, step: int, other: int) -> bool:
        """Whether ``step`` is, or causally depends on, ``other``."""
        thread = self.numbers[other]
        if self.numbers[step] == thread:
            return self.positions[step] >= self.positions[other]
        return self.clocks[step][thread] > self.positions[other]

    def include(self, past: list[int], step: int) -> None:
        """Extend ``past`` (steps per thread) by the causal past of ``step`` and ``step`` itself."""
        clock = self.clocks[step]
        for thread, count in enumerate(clock):
            if count > past[thread]:
                past[thread] = count
        thread = self.numbers[step]
        if self.positions[step] >= past[thread]:
            past[thread] = self.positions[step] + 1

    def prefixes(self, happen: Iterable[int]) -> list[int]:
        """For each thread the number of steps that take place if ``happen`` and the steps before them in their threads
        do."""
        numbers, positions = self.numbers, self.positions
        past = [0] * len(self.threads)
        for step in happen:
            thread, position = numbers[step], positions[step]
            if position >= past[thread]:
                past[thread] = position + 1
        return past

    def include_before(self, past: list[int], thread: int, position: int) -> None:
        """Extend ``past`` by the causal past of the first ``position`` steps of ``thread``."""
        if position:
            self.include(past, self.threads[thread][position - 1])

    def shared_steps(self) -> frozenset[StepIndex]:
        """The steps that touch a target which several threads touch, or that must be there for the reads of these."""
        if self._shared_steps is None:
            numbers, shared = self.numbers, []
            for target in {**self.looks, **self.writers}:
                steps = (*self.looks.get(target, ()), *self.writers.get(target, ()))
                if len({numbers[step] for step in steps}) > 1:
                    shared.append(target)
            self._shared_steps = frozenset(self.connected_steps(shared))
        return self._shared_steps

    def connected_steps(self, targets: Iterable[Any], known: frozenset[StepIndex] = frozenset()) -> set[StepIndex]:
        """The steps that touch one of these targets, or any target of such a step; but for those that are ``known``."""
        found, seen, waiting = set[StepIndex](), set[Any](), list(targets)
        while waiting:
            if (target := waiting.pop()) in seen:
                continue
            seen.add(target)
            for step in (*self.looks.get(target, ()), *self.writers.get(target, ())):
                if step not in found and step not in known:
                    found.add(step)
                    waiting += [*self.writes[step], *[read for read, _ in self.reads[step]]]
        return found

    def signature(self) -> int:
        """Equal for runs with the same steps and the same reads-from, in any order."""
        return hash(tuple(sorted(zip(map(fingerprint_of_name, self.tasks), self.final_states, strict=True))))


def _with_structure_first(reads: list[tuple[Any, StepIndex]]) -> list[tuple[Any, StepIndex]]:
    """The reads of a step that looks up an item, in the order in which they depend on each other: whether there is such
    an item follows from the structure of the container."""
    wholes = wholes_of(reads[0][0]) if kind_of(reads[0][0]) is Kind.ITEM else ()
    return sorted(reads, key=lambda read: read[0] not in wholes) if wholes else reads


def overwritten(reads: Sequence[tuple[Any, StepIndex]], writes: Sequence[Any]) -> dict[Any, StepIndex]:
    """For each target that a step both reads and writes, the source of the read."""
    if not (reads and writes):
        return _NOTHING
    if len(reads) == 1 == len(writes):
        return dict(reads) if reads[0][0] == writes[0] else _NOTHING
    written = set(writes)
    return {target: source for target, source in reads if target in written}


_NOTHING: Final[dict[Any, StepIndex]] = {}

#: The readers of a step that nothing reads from.
_NO_STEPS: Final[list[StepIndex]] = []


def fingerprint(state: int, sources: Sequence[int]) -> int:
    """The print of the step of a thread in ``state`` that reads from ``sources``."""
    return hash((state, *sources))


def _joined(clock: list[int], other: list[int], thread: int, position: int) -> list[int]:
    """``clock`` joined with ``other``, the clock of the step at ``position`` of ``thread``; ``clock`` itself if that
    adds nothing."""
    if clock[thread] > position:
        return clock
    made = list(map(max, clock, other))
    made[thread] = position + 1
    return made
