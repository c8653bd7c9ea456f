"""All executions of a small program, by searching all its states.

Each search keeps, beside the machine's state, the part by which answers differ: nothing (final states), the values that
each thread has read so far (read-value vectors), which write each read took its value from (reads-from classes), or the
whole happens-before order (Mazurkiewicz classes). Two interleavings that agree in this reach the same search state, so
that counting final ones counts classes. Cost: the number of such states; for programs of a few dozen operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.oracle.language import SmallProgram
from tests.oracle.machine import Machine, Mover, Touched

from mazurka.program.memory import MemoryModel
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import INVOKED


class TooLarge(Exception):
    """The search met more states than it was allowed."""


@dataclass(frozen=True, slots=True)
class Everything:
    """All that a program can end in."""

    finals: frozenset[Any]
    reads: frozenset[Any]
    deadlocks: frozenset[Any]


def accesses(touched: Touched) -> list[tuple[Op, tuple[Any, ...]]]:
    op, target, _, more = touched
    return [(op, target), *((access.op, access.target) for access in more)]


class Nothing:
    """Remembers nothing but the state."""

    def begin(self, threads: int) -> Any:
        return ()

    def after(self, memory: Any, t: Mover, touched: Touched) -> Any:
        return memory


class ReadValues:
    """The values that each thread has read, in its program order."""

    def begin(self, threads: int) -> Any:
        return ((),) * threads

    def after(self, memory: Any, t: Mover, touched: Touched) -> Any:
        op, target, value, more = touched
        if target[0] == INVOKED and isinstance(t, int):
            return (*memory[:t], (*memory[t], value[4]), *memory[t + 1 :])
        if isinstance(t, int) and (
            target[0] == "var" and READS[op] or target[0] in ("lock", "sem") and value is not None
        ):
            others = [access.value for access in more if READS[access.op] and access.target[0] == "var"]
            row = (*memory[t], value, *others)
            return (*memory[:t], row, *memory[t + 1 :])
        return memory


class ReadsFrom:
    """A hash of each thread's history, sources of its reads included, and each target's last writer."""

    def begin(self, threads: int) -> Any:
        return tuple(hash((t, "begin")) for t in range(threads)), ()

    def after(self, memory: Any, t: int, touched: Touched) -> Any:
        chains, last = memory
        writers = dict(last)
        touching = accesses(touched)
        sources = tuple(writers.get(target, 0) for op, target in touching if READS[op])
        event = hash((chains[t], sources))
        for op, target in touching:
            if WRITES[op]:
                writers[target] = event
        return (*chains[:t], event, *chains[t + 1 :]), tuple(sorted(writers.items(), key=repr))


class HappensBefore:
    """The same as reads-from, and for each write the writes and reads of its target that it came after."""

    def begin(self, threads: int) -> Any:
        return tuple(hash((t, "begin")) for t in range(threads)), ()

    def after(self, memory: Any, t: int, touched: Touched) -> Any:
        chains, last = memory
        seen: dict[Any, tuple[int, frozenset[int]]] = dict(last)
        touching = accesses(touched)
        before = []
        for op, target in touching:
            write, reads = seen.get(target, (0, frozenset()))
            before.append((write, reads) if WRITES[op] else (write,))
        event = hash((chains[t], tuple(before)))
        for op, target in touching:
            write, reads = seen.get(target, (0, frozenset()))
            if WRITES[op]:
                seen[target] = (event, frozenset())
            elif READS[op]:
                seen[target] = (write, reads | {event})
        return (*chains[:t], event, *chains[t + 1 :]), tuple(sorted(seen.items(), key=repr))


def _endings(
    program: SmallProgram, memory: Any, limit: int, model: MemoryModel = MemoryModel.SC
) -> Iterator[tuple[Machine, Any]]:
    """Every distinct (state, memory) that no thread can leave; the machine yielded is in that state.

    With daemons these are the ends of the program that come as late as they can: :func:`early_failures` has others.
    """
    for machine, remembered, movable in _states(program, memory, limit, model):
        if not movable:
            yield machine, remembered


def _states(
    program: SmallProgram, memory: Any, limit: int, model: MemoryModel = MemoryModel.SC
) -> Iterator[tuple[Machine, Any, list[Mover]]]:
    """Every distinct (state, memory), with those that can move there; the machine yielded is in that state."""
    machine = Machine(program, model)
    first = (machine.freeze(), memory.begin(len(machine.code)))
    stack, seen = [first], {first}
    while stack:
        state, remembered = stack.pop()
        machine.thaw(state)
        movable = machine.movable()
        yield machine, remembered, movable
        for number, t in enumerate(movable):
            if number:
                machine.thaw(state)
            touched = machine.move(t)
            following = (machine.freeze(), memory.after(remembered, t, touched))
            before = len(seen)
            seen.add(following)  # hashed once: that is a fifth of all the time
            if len(seen) > before:
                if before == limit:
                    raise TooLarge(limit)
                stack.append(following)


def everything(program: SmallProgram, limit: int = 200_000, model: MemoryModel = MemoryModel.SC) -> Everything:
    """Final states, read-value vectors and deadlocks of ``program``."""
    finals, reads, deadlocks = set(), set(), set()
    for machine, remembered in _endings(program, ReadValues(), limit, model):
        final = machine.final()
        finals.add(final)
        reads.add((remembered, final[3]))
        if machine.is_stuck():
            deadlocks.add(final[3])
    return Everything(frozenset(finals), frozenset(reads), frozenset(deadlocks))


def early_failures(program: SmallProgram, limit: int = 200_000) -> set[tuple[int, str]]:
    """The failed assertions, by thread, of executions at whose end daemons may stand before any of their steps."""
    return {
        (t, text)
        for machine, _, _ in _states(program, Nothing(), limit)
        if machine.may_end()
        for t, text in enumerate(machine.failed)
        if text
    }


def final_states(program: SmallProgram, limit: int = 200_000, model: MemoryModel = MemoryModel.SC) -> set[Any]:
    return {machine.final() for machine, _ in _endings(program, Nothing(), limit, model)}


def reads_from_classes(program: SmallProgram, limit: int = 200_000) -> int:
    return len({remembered[0] for _, remembered in _endings(program, ReadsFrom(), limit)})


def mazurkiewicz_classes(program: SmallProgram, limit: int = 200_000) -> int:
    return len({remembered[0] for _, remembered in _endings(program, HappensBefore(), limit)})


def interleavings(program: SmallProgram, limit: int = 200_000, most: int | None = None) -> int:
    """How many runs there are at the granularity of points (computed over the state graph, not by walking them).

    With ``most`` the search ends at the first state that more of them lead on from: no fewer begin where it began.
    """
    from tests.oracle.program import Stepper

    memo: dict[Any, int] = {}
    stepper = Stepper(program)

    def count(state: Any) -> int:
        if state in memo:
            return memo[state]
        if len(memo) > limit:
            raise TooLarge(limit)
        stepper.machine.thaw(state)
        stepper.tasks = stepper.machine.born()
        movable = stepper.at_points()
        total = 0 if movable else 1
        for t in movable:
            stepper.machine.thaw(state)
            stepper.tasks = stepper.machine.born()
            stepper.advance(t)
            total += count(stepper.machine.freeze())
        if most is not None and total > most:
            raise TooLarge(most)
        memo[state] = total
        return total

    stepper.begin()
    return count(stepper.machine.freeze())
