"""The definition of a class decides the number of runs: counted by enumeration, and as run.

The figures of docs/decisions/explore-reads-from-classes.md, of two threads that count K times each; and in how many
ways the threads of some programs can read, for which tools publish fewer executions than there are classes. JMCR
takes 10, 17, 20 and 4 executions for the four sorts, so it does not run each class either. Tools that count 3
for the deadlock end a run there and tell nothing apart in it: it can come before one thread has read the other's write,
or after, and not at all after each order of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from tests.oracle.benchmarks import bubble_sort, counter, dead_lock
from tests.oracle.drive import reach
from tests.oracle.enumerate import TooLarge, everything, interleavings, mazurkiewicz_classes, reads_from_classes
from tests.oracle.generate import random_program

from benchmarks.row import Row, Settings
from benchmarks.strategies import CLASSES, made

_ROUNDS: Final = (1, 2, 3, 4)
_RANDOM: Final = 250
_SORTS: Final = ((463, 0, 2435, 89), (-7, -2343, 0, -7890), (0, 73, -908, -7654), (2, 2, 1, 1))


def measure(settings: Settings) -> Iterator[Row]:
    def numbers(count: Any) -> str:
        return " ".join(f"{count(counter(k))}" for k in _ROUNDS)

    for heading, count, strategy, said in (
        ("interleavings", interleavings, "dfs", "6 70 924 12870"),
        ("Mazurkiewicz traces", mazurkiewicz_classes, "dpor", "4 34 328 3334"),
        ("reads-from classes", reads_from_classes, "dpor-rf", "3 19 141 1107"),
        ("classes of equal reads", _readings, "mcr", "3 19 140 1091"),
        ("classes of equal reads", _readings, CLASSES, "3 19 140 1091"),
    ):
        counted = numbers(count)
        yield Row(f"{heading}, K = 1 to 4", said, counted, holds=counted == said)
        executions = numbers(lambda program, strategy=strategy: _executions(program, strategy))
        yield Row(f"executions of {strategy}", counted, executions, holds=executions == counted)
    for name, program in [*((f"sort{values}", bubble_sort(values)) for values in _SORTS), ("deadlock", dead_lock())]:
        classes, executions = str(_readings(program)), str(_executions(program, CLASSES))
        note = f"{_executions(program, 'se-mcr')} executions show all that a thread can read"
        yield Row(f"classes of equal reads, {name}", classes, executions, note=note, holds=classes == executions)
    yield _repetitions()


def _repetitions() -> Row:
    ways, by_source, by_value, by_state = 0, 0, 0, 0
    for number in range(_RANDOM):
        program = random_program(number, conditions=False)
        with suppress(TooLarge):
            ways += _readings(program)
            by_source += reach(program, "dpor-rf").followed
            by_value += reach(program, "mcr").followed
            by_state += _executions(program, CLASSES)
    note = f"{CLASSES}: {by_state:,}; dpor-rf: {by_source:,}, {by_source - ways:,} of which repeat values read"
    holds = ways == by_value == by_state
    return Row(f"classes of equal reads, {_RANDOM} random", f"{ways:,}", f"{by_value:,}", note=note, holds=holds)


def _readings(program: Any) -> int:
    return len(everything(program).reads)


def _executions(program: Any, strategy: str) -> int:
    return reach(program, lambda: made(strategy)).executions
