"""Every complete strategy reaches the outcomes of the oracle's machine, on thousands of generated programs per memory
model.

    make bench ARGS="generated"                              mcr and dfs, sequential consistency
    python -m benchmarks generated --programs 5000 --strategy all --model sc --model tso --model pso --jobs 2

Compared with the oracle are final states (failures among them), read values and deadlocks; for ``se-mcr`` without
classes, which leaves out combinations of the threads' histories, the failures, the deadlocks and the values that each
thread can read (possibly on the way to more, if the thread could also be stuck after them: one deadlock needs only one
run). Runs go over programs 0, 1, 2 ... until each strategy has finished as many as are asked for. Left out, and
counted, are programs that are too large for the oracle (15,000 states) and searches of more than 1,000 executions; of
more than 300 where each order is one, as most of the time would go into searches that are left out.

``repeats`` are executions with the read values of an earlier one, and under sequential consistency none may be one of
``mcr``'s or ``se-mcr``'s. (Not those that were cut short, as a thread could not move where it was to: with try-locks
there are some, see asking.py.) They are counted where classes differ only by the values read: in programs
without conditions, semaphores and indivisible updates.
"""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Final

from tests.oracle.drive import Reached, Unfinished, reach
from tests.oracle.enumerate import Everything, TooLarge, everything
from tests.oracle.generate import random_program
from tests.oracle.language import SmallProgram

from benchmarks.row import Row, Settings
from benchmarks.strategies import CLASSES, chosen, made
from mazurka.program.memory import MemoryModel

_STATES: Final = 15_000
_EXECUTIONS: Final = {"dfs": 300, "icb": 300}
_OTHERWISE: Final = 1_000
_SHARE: Final = 50

#: Those that promise not to execute a class of equal read values twice.
_EACH_ONCE: Final = ("mcr", "se-mcr", CLASSES)
#: By default.
_QUICK: Final = ("mcr", "dfs")


@dataclass(slots=True)
class Tally:
    """The results of one strategy."""

    finished: int = 0
    too_long: int = 0
    executions: int = 0
    repeats: int = 0
    seconds: float = 0.0
    differ: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.finished += other.finished
        self.too_long += other.too_long
        self.executions += other.executions
        self.repeats += other.repeats
        self.seconds += other.seconds
        self.differ += other.differ


@dataclass(slots=True)
class Share:
    """The results of some programs."""

    programs: int
    too_large: int
    tallies: dict[str, Tally]

    def add(self, other: Share) -> None:
        self.programs += other.programs
        self.too_large += other.too_large
        for name, tally in other.tallies.items():
            self.tallies[name].add(tally)

    def least(self) -> int:
        return min(tally.finished for tally in self.tallies.values())


def measure(settings: Settings) -> Iterator[Row]:
    names = chosen(settings, _QUICK)
    for model in settings.models or ("sc",):
        yield from _rows(model, _all_shares(model, names, settings))


def _rows(model: str, total: Share) -> Iterator[Row]:
    for name, tally in total.tallies.items():
        notes = [f"{tally.executions:,} executions", f"{tally.seconds:.0f} s"]
        notes += [f"{tally.too_long:,} too long"] if tally.too_long else []
        notes += [f"of {total.programs:,} programs {total.too_large:,} too large"]
        notes += [f"{tally.repeats:,} repeats"]
        notes += tally.differ[:5]
        holds = not tally.differ and not (model == "sc" and name in _EACH_ONCE and tally.repeats)
        agree = f"{tally.finished - len(tally.differ):,} of {tally.finished:,}"
        yield Row(f"as the oracle, {model}: {name}", "all", agree, note="; ".join(notes), holds=holds)


def _all_shares(model: str, names: tuple[str, ...], settings: Settings) -> Share:
    total = Share(0, 0, {name: Tally() for name in names})
    firsts = itertools.count(0, _SHARE)
    with ProcessPoolExecutor(settings.jobs, multiprocessing.get_context("spawn")) as pool:
        waiting: set[Future[Share]] = set()
        while waiting or total.least() < settings.programs:
            while len(waiting) < settings.jobs and total.least() < settings.programs:
                waiting.add(pool.submit(share, model, names, next(firsts)))
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                total.add(each.result())
    return total


def share(model: str, names: tuple[str, ...], first: int, count: int = _SHARE) -> Share:
    """Hold the strategies to the oracle on the programs of one share."""
    all_told = Share(count, 0, {name: Tally() for name in names})
    for number in range(first, first + count):
        program = drawn(number)
        try:
            known = everything(program, _STATES, MemoryModel(model))
        except (TooLarge, RecursionError):
            all_told.too_large += 1
            continue
        for name in names:
            _hold(all_told.tallies[name], name, number, program, known, MemoryModel(model))
    return all_told


def drawn(number: int) -> SmallProgram:
    """A third of all have conditions, a third semaphores; every fourth has neither fences nor indivisible updates."""
    return random_program(number, conditions=number % 3 == 0, semaphores=number % 3 == 1, atomics=number % 4 > 0)


def _hold(tally: Tally, name: str, number: int, program: SmallProgram, known: Everything, model: MemoryModel) -> None:
    begun = time.perf_counter()
    try:
        reached = reach(
            program, lambda: made(name), joint=number % 2 == 1, limit=_EXECUTIONS.get(name, _OTHERWISE), model=model
        )
        wrong = _difference(name, reached, known)
    except Unfinished:
        tally.too_long += 1
        return
    except Exception as raised:
        wrong, reached = repr(raised), None
    finally:
        tally.seconds += time.perf_counter() - begun
    tally.finished += 1
    if reached is not None:
        tally.executions += reached.executions
        if _tells_all(program):
            tally.repeats += reached.followed - len(reached.everything.reads)
    if wrong:
        tally.differ.append(f"program {number}: {wrong}")


def _tells_all(program: SmallProgram) -> bool:
    updates = any(instruction[0] == "update" for compiled in program.code for instruction in compiled.instructions)
    return not (program.conditions or program.semaphores or updates)


def _difference(name: str, reached: Reached, known: Everything) -> str:
    if reached.strategy.incompleteness_reason():
        return f"doubt: {reached.strategy.incompleteness_reason()}"
    found = reached.everything
    if name == "se-mcr":
        same = {
            "deadlocks": found.deadlocks == known.deadlocks,
            "failures": _failures(found) == _failures(known),
            "histories": _histories(found) <= _histories(known) <= _beginnings(_histories(found)),
        }
    else:
        same = {aspect: getattr(found, aspect) == getattr(known, aspect) for aspect in ("finals", "reads", "deadlocks")}
    return ", ".join(aspect for aspect, equal in same.items() if not equal)


def _failures(known: Everything) -> set[tuple[int, str]]:
    return {(thread, text) for final in known.finals for thread, text in enumerate(final[2]) if text}


def _histories(known: Everything) -> set[tuple[int, Any]]:
    return {(thread, row) for rows, _ in known.reads for thread, row in enumerate(rows)}


def _beginnings(histories: set[tuple[int, Any]]) -> set[tuple[int, Any]]:
    return {(thread, row[:count]) for thread, row in histories for count in range(len(row) + 1)}
