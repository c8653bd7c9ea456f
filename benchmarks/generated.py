"""mcr and dfs reach the same final states, read values and deadlocks, on thousands of generated programs.

Programs that have too many interleavings for dfs are drawn again; so are those that have one only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from tests.oracle.drive import reach
from tests.oracle.enumerate import TooLarge, interleavings
from tests.oracle.generate import random_program

from benchmarks.row import Row, Settings

_STATES: Final = 15_000
_INTERLEAVINGS: Final = 1_000


def measure(settings: Settings) -> Iterator[Row]:
    begun = time.perf_counter()
    seed, used, differ, executions = 0, 0, [], [0, 0]
    while used < settings.programs:
        seed += 1
        program = random_program(seed)
        if not _is_of_use(program):
            continue
        used += 1
        mcr, dfs = reach(program, "mcr"), reach(program, "dfs")
        executions[0] += mcr.executions
        executions[1] += dfs.executions
        if mcr.everything != dfs.everything:
            differ.append(seed)
    note = f"{executions[0]:,} executions of mcr, {executions[1]:,} of dfs, {time.perf_counter() - begun:.0f} s"
    if differ:
        note += f"; seeds {differ[:5]}"
    yield Row("generated programs: mcr as dfs", "all", f"{used - len(differ)} of {used}", note=note, holds=not differ)


def _is_of_use(program: Any) -> bool:
    try:
        return 1 < interleavings(program, _STATES) <= _INTERLEAVINGS
    except (TooLarge, RecursionError):
        return False
