"""Everything reachable is reached: the final states of RVExample, and the outcomes of every small program.

Both against the slow enumeration of tests/oracle. An outcome is the values that threads read, and which threads wait
for which in the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from tests.oracle.benchmarks import REFERENCES, rv_example_checked
from tests.oracle.drive import reach
from tests.oracle.enumerate import everything, final_states

from benchmarks.row import Row, Settings

_STATES: Final = 10


def measure(settings: Settings) -> Iterator[Row]:
    program = rv_example_checked()
    known = _values(final_states(program))
    for strategy in ("mcr", "dfs"):
        begun = time.perf_counter()
        reached = reach(program, strategy, limit=1_000_000)
        states = _values(reached.everything.finals)
        note = f"{reached.executions:,} executions, {time.perf_counter() - begun:.1f} s"
        holds = states == known and len(states) == _STATES
        yield Row(f"final states of RVExample by {strategy}", str(_STATES), str(len(states)), note=note, holds=holds)
    small = {name: reference for name, reference in REFERENCES.items() if not reference.large}
    differ = [name for name, reference in small.items() if not _agrees(reference.make())]
    measured = f"{len(small) - len(differ)} of {len(small)}"
    yield Row("programs with the oracle's outcomes", "all", measured, note=", ".join(differ), holds=not differ)


def _values(finals: Any) -> set[tuple[int, int, int]]:
    """(x, y, whether the error was reached)."""
    error = rv_example_checked().code[2].names.index("e")
    return {(dict(shared)["x"], dict(shared)["y"], values[2][error]) for shared, values, *_ in finals}


def _agrees(program: Any) -> bool:
    reached, known = reach(program, "mcr").everything, everything(program)
    return (reached.reads, reached.deadlocks) == (known.reads, known.deadlocks)
