"""``dfs`` reaches all outcomes of real, preemptive threads, on the random programs of ``differential``.

    make bench ARGS="preemptive --programs 300"               some seconds per program

A trial that does not end must be a deadlock that ``dfs`` has found, too, and an exception that ends a thread must be
one of its failures. Left out are reentrant locks: one that a thread leaves locked belongs to the next thread with the
same identifier, which is not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.oracle.python_programs import THEMES, Program

from benchmarks.differential import all_shares, loaded, reached, row_of
from benchmarks.real_threads import HANGS, outcomes
from benchmarks.row import Row, Settings

_TRIALS: Final = 20
_LOCKED: Final = frozenset({"deadlock", "blocked"})


def measure(settings: Settings) -> Iterator[Row]:
    yield row_of("real threads, as dfs", all_shares(hold_to_real_threads, (), settings))


def hold_to_real_threads(program: Program, _names: tuple[str, ...], folder: Path) -> tuple[bool, str]:
    """Whether ``dfs`` decides the program, and the outcomes of real threads that it does not reach."""
    if THEMES["rlock"] in program.themes:
        return False, ""
    known = reached(loaded(program, folder), "dfs")
    if not known.complete:
        return False, ""
    returned, failed = outcomes(program.source(), _TRIALS)
    missed = [f"returns {each}" for each in returned if repr(each) not in known.returned and each != HANGS]
    if HANGS in returned and not _LOCKED & {identity[0] for identity in known.failures}:
        missed.append("hangs")
    names = {part for identity in known.failures for part in identity}
    missed += [f"fails with {each}" for each in failed if each not in names]
    text = program.source().partition("def scenario")[2]
    return True, f"program {program.number}: real threads: {'; '.join(missed)}\n{text}" if missed else ""
