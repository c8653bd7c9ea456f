"""Trial runs of a program, each in a child, of which only the results remain.

They show the further imports on the way, the sites that need points, the modules of the standard library that are
entered, whether two runs of one schedule are equal, and whether the program's state can be put back between runs.

Cost: three children for most programs, and one more for each trial run that imports a module or finds a new point.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import field, replace
from typing import Final, Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.program import forked
from mazurka.program.protocol import Failure, Plan, Run, TailPolicy
from mazurka.program.python import outside
from mazurka.program.python.instrument import late_imports
from mazurka.program.python.isolation import earlier_threads, library, state
from mazurka.program.python.run_records import portable
from mazurka.program.python.semantics import foreign
from mazurka.program.runtime.nondeterminism import difference
from mazurka.program.runtime.task import Learned
from mazurka.program.settings import Isolation, ProgramSettings
from mazurka.trace.event import Location

#: At most this many trial runs: each may import more modules, or find more shared locations.
MOST: Final = 8

#: Further trial runs that show which modules of the standard library are entered: one in which the threads take turns
#: at random, and one with random priorities.
_FURTHER: Final = (Plan(tail=TailPolicy.RANDOM, seed=2), Plan(tail=TailPolicy.PCT, seed=3))

#: Seconds after which a run that is cut short is not tried again.
_LONG: Final = 2.0

#: Seconds up to which further trials take less time than a search that begins again for a module that is entered late.
_SHORT: Final = 0.1


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The results of a child's trial runs."""

    points: set[int]
    found_new_points: bool
    imported: list[str]
    difference: str
    read_input: bool
    hung: str = ""  # why the run was cut short after a long time
    late: dict[str, bool] = field(default_factory=dict)  # see `late_imports.noticed`
    again: dict[str, str] = field(default_factory=dict)  # see `late_imports.again`
    generated: dict[str, str | ast.Module] = field(default_factory=dict)  # see `outside.generated.noticed`
    is_first: bool = False  # nothing was compared
    is_alone: bool = False  # the program has started no threads, imported nothing, and run to its end
    has_threads: bool = False  # it has started some
    failures: tuple[Failure, ...] = ()  # of a program that has started none
    restored: bool = False  # a run after the state was put back was equal to the one before it
    changed: tuple[str, ...] = ()  # modules of the library that kept state of a run in their globals


class TriedProgram(Protocol):
    """A program as its trial runs know it."""

    settings: ProgramSettings
    learned: Learned
    earlier: earlier_threads.EarlierThreads
    snapshot: state.Snapshot | None
    read_input: bool  # whether the last run has read standard input

    def execute_here(self, plan: Plan) -> Run:
        """Execute the program once in this process, from its present state."""

    def take_snapshot(self) -> None:
        """Keep the present state, for runs to start from."""

    def location(self, site: int) -> Location | None:
        """Where a site is in the source."""


def once(program: TriedProgram, left: int, knows_variants: bool) -> TrialResult:
    """The results of one child; ``left`` more children may follow. If the program ``knows_variants`` of itself, its
    first run is not expected to find anything new, and no further ones are needed to show the modules it enters."""
    before, found, further = tuple(sys.modules), None, () if knows_variants else _FURTHER
    if left == MOST - 1 and not knows_variants:
        found = forked.call(lambda: _first_trial(program, before))
    elif program.settings.isolation is Isolation.AUTO:
        try:
            found = forked.call(lambda: _trial(program, before, left == 0, further, restores=True))
        except forked.ChildDied as error:
            if "interrupt" in str(error).lower():
                raise
    if found is None:  # the child may have died since it went on after its run
        found = forked.call(lambda: _trial(program, before, left == 0, further, restores=False))
    assert isinstance(found, TrialResult)
    return found


def compare_after_restoring(program: TriedProgram) -> tuple[str, list[str]]:
    """Why runs can't be made one after the other, or "", and the modules of the library whose globals change."""
    snapshot = program.snapshot
    assert snapshot is not None
    if snapshot.too_large:
        return "there is too much state to put back", []
    if snapshot.obstacles:
        return f"state that cannot be put back: {'; '.join(snapshot.obstacles[:3])}", []
    try:
        found, changed = forked.call(lambda: _restores(program))
    except forked.ChildDied as error:
        return str(error).strip().splitlines()[-1], []
    return f"after the state was put back, {found}" if found else "", changed


def _first_trial(program: TriedProgram, before: tuple[str, ...]) -> TrialResult:
    """In a child: one run. Most first runs import modules or find points, so that there is nothing to compare them
    with."""
    run, found = _try_here(program, before)
    return _hung(program, run) or replace(found, is_first=True)


def _hung(program: TriedProgram, run: Run) -> TrialResult | None:
    if run.truncated and (run.seconds > _LONG or program.earlier.waits):
        points, threads = set(program.learned.points), len(run.tasks) > 1
        return TrialResult(points, False, [], "", False, run.truncated, has_threads=threads)
    return None


def _trial(
    program: TriedProgram, before: tuple[str, ...], last: bool, further: tuple[Plan, ...], restores: bool
) -> TrialResult:
    """In a child: a run in a grandchild, and if that finds nothing new, or this is the last trial, another one, and the
    ``further`` ones. ``restores`` asks for one more after the state was put back, where that can be done."""
    apart: tuple[Run, TrialResult] = forked.call(lambda: _portable(_try_here(program, before)))
    second, known = apart
    if (hung := _hung(program, second)) is not None:
        return hung
    if (known.found_new_points or known.imported) and not last:
        return known  # with its findings the program is another one than the one to compare, and to try further
    globals_before = {}
    if restores:
        program.take_snapshot()
        globals_before = library.globals_now()
    first, found = _try_here(program, before)
    if restores:
        found = replace(found, changed=tuple(library.changed_since(globals_before)))
    if restores and first.seconds < _LONG / 4:
        found = replace(found, restored=_is_repeated(program, first))
    if len(first.tasks) > 1 and first.seconds < _SHORT and not found.found_new_points and not found.imported:
        for plan in further:
            program.execute_here(plan)
        found = replace(found, points=found.points | foreign.marks(program.learned.points))
    return replace(found, difference=difference(first, second, program.location))


def _try_here(program: TriedProgram, before: tuple[str, ...]) -> tuple[Run, TrialResult]:
    """One run, and the results of it; ``before`` are the names of the modules that were loaded before it."""
    run = program.execute_here(Plan())
    imported = _imported_since(before)
    found = TrialResult(
        set(program.learned.points),
        run.found_new_points,
        imported,
        "",
        program.read_input,
        late=late_imports.all_noticed(),
        again=late_imports.found_again(),
        generated=dict(outside.generated.noticed),
        is_alone=len(run.tasks) == 1 and not (run.truncated or imported),
        has_threads=len(run.tasks) > 1,
        failures=() if len(run.tasks) > 1 else tuple(run.failures),
    )
    return run, found


def _is_repeated(program: TriedProgram, first: Run) -> bool:
    """In a child: whether a run after a restore is equal to the first one since the snapshot."""
    assert program.snapshot is not None
    if program.snapshot.too_large or program.snapshot.obstacles:
        return False
    program.snapshot.restore()
    return not difference(first, program.execute_here(Plan()), program.location)


def _restores(program: TriedProgram) -> tuple[str, list[str]]:
    """In a child: how a run after a restore differs from the run before it, and which modules of the library keep state
    of a run in their globals."""
    assert program.snapshot is not None
    before = library.globals_now()
    first = program.execute_here(Plan())
    changed = library.changed_since(before)
    program.snapshot.restore()
    second = program.execute_here(Plan())
    for _ in range(MOST):
        if not first.found_new_points:
            break
        program.snapshot.restore()  # with the points that the first one has found, the second differs
        first, second = second, program.execute_here(Plan())
    return difference(first, second, program.location), changed


def _portable(tried: tuple[Run, TrialResult]) -> tuple[Run, TrialResult]:
    return portable(tried[0]), tried[1]


def _imported_since(before: tuple[str, ...]) -> list[str]:
    """The names of modules that have been imported. If there are as many modules as before, and the last one is the
    same, none has been: to look at each module touches its memory, which a child shares with its parent until then."""
    if not late_imports.again and len(before) == len(sys.modules) and before[-1] == next(reversed(sys.modules)):
        return []
    known = frozenset(before)
    return [
        name
        for name, module in list(sys.modules.items())
        if name not in known
        and name not in late_imports.again
        and hasattr(module, "__dict__")
        and not name.startswith("mazurka")
    ]
