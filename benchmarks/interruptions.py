"""Whether operations that another thread can interrupt are taken for one step.

    make bench ARGS="interruptions --jobs 2"

Of two operations on the thing of a kit (:mod:`benchmarks.kits`, :mod:`benchmarks.library_kits`) the first is done, and
at the n-th event in code of the library (a call, a line, a return), for each n, another thread does the second, unless
it has to wait for a lock. An outcome that no order of the two whole operations has shows that the first is no single
step, by CPython's own word. Then `check` must not say `verified` of the program whose threads do these two and that
asserts the outcome of some serial order. A `verified` is false if real threads make that program fail
(:mod:`tests.oracle.preemptive`); programs that they did not make fail are listed, to be looked at.

Cost: a millisecond for each pair and event, and half a second for each of some 700 programs.
"""

from __future__ import annotations

import collections
import contextlib
import json
import multiprocessing
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.oracle.preemptive import hunt, in_child

from benchmarks import native_programs
from benchmarks.kits import KITS, Kit
from benchmarks.library_kits import LIBRARY_KITS
from benchmarks.native_programs import PROGRAM, Parts
from benchmarks.row import Row, Settings
from benchmarks.verdicts import CRASH, VERIFIED, get_ready, said_of

#: All kits; a number here names one.
ALL_KITS: Final = (*KITS, *LIBRARY_KITS)

_TRIALS: Final = 60
_HUNT_SECONDS: Final = 4.0
_SECONDS: Final = 60.0

#: Events at which an operation is interrupted, at most.
_EVENTS: Final = 120

#: Seconds after which an operation that interrupts another one is taken to wait for a lock.
_WAIT: Final = 0.02


class Held(NamedTuple):
    """The verdict on two operations of a kit; ``wrong`` says why it is, or is "". ``is_confirmed``: real threads have
    failed."""

    operations: str
    verdict: str
    wrong: str = ""
    is_confirmed: bool = False


def measure(settings: Settings) -> Iterator[Row]:
    with ProcessPoolExecutor(
        settings.jobs, multiprocessing.get_context("spawn"), get_ready, (native_programs.imported(),)
    ) as pool:
        held = [each for part in pool.map(share, range(len(ALL_KITS))) for each in part]
    total = f"of {len(held):,}"
    for kind, figure in (
        (VERIFIED, "interrupted: verified, fail on real threads"),
        (CRASH, "interrupted: the checker fails"),
    ):
        wrong = [f"{each.operations}: {each.wrong}" for each in held if each.verdict == kind and each.is_confirmed]
        yield Row(figure, "0", str(len(wrong)), total, "; ".join(wrong), not wrong)
    doubtful = [each.operations for each in held if each.wrong and not each.is_confirmed]
    yield Row("interrupted: verified, real threads did not fail", "", str(len(doubtful)), total, "; ".join(doubtful))
    verdicts = collections.Counter(each.verdict for each in held)
    yield Row(
        "interrupted: verdicts", "", " ".join(f"{verdict} {count:,}" for verdict, count in verdicts.most_common())
    )


def share(number: int, most: int = 1_000) -> list[Held]:
    """The verdicts on operations of a kit, at most so many, that can be interrupted; in a process that is ready
    (:func:`get_ready`)."""
    kit = ALL_KITS[number]
    ended = in_child(lambda: json.dumps(_interruptible(kit, most)), _SECONDS)
    with contextlib.suppress(ValueError):
        return [_hold(kit, *each) for each in json.loads(ended.text)]
    return []


def _hold(kit: Kit, first: str, second: str, expected: list[str], shown: str) -> Held:
    operations = f"{kit.name}: {first} beside {second}"
    with tempfile.TemporaryDirectory(prefix="interrupted-") as folder:
        file = Path(folder, "program.py")
        file.write_text(native_programs.program_text(native_programs.pair(kit, first, second), expected))
        said = said_of(file)
        if said.verdict == CRASH:
            return Held(operations, CRASH, "; ".join(said.reasons), is_confirmed=True)
        if said.verdict != VERIFIED:
            return Held(operations, said.verdict)
        failed = hunt(file, _TRIALS, seconds=5.0, until=_HUNT_SECONDS)
        return Held(operations, VERIFIED, shown if failed is None else failed.failure, failed is not None)


# -- in a child --------------------------------------------------------------------------------------------------------


def _interruptible(kit: Kit, most: int) -> list[tuple[str, str, list[str], str]]:
    """Operations that can be interrupted, each with one that does it, the serial outcomes, and another outcome."""
    found = []
    for first in native_programs.operations_on(kit):
        for second in kit.operations:
            if len(found) < most and (outcomes := _another_outcome(native_programs.pair(kit, first, second))):
                found.append((first, second, *outcomes))
    return found


def _another_outcome(parts: Parts) -> tuple[list[str], str] | None:
    """The serial outcomes, and one that an interruption leads to, if there is one."""
    try:
        expected = native_programs.outcomes(parts)
        code = native_programs.compiled(parts)
        for at in range(1, _EVENTS if expected else 0):
            outcome = _interrupted(native_programs.executed(code), at)
            if outcome is None:
                break
            if outcome not in expected:
                return expected, outcome
    except Exception:  # the kit needs a file or a module that is not there
        return None
    return None


def _interrupted(space: dict[str, Any], at: int) -> str | None:
    """The outcome if the second operation is done at an event of the first; None if there are not so many."""
    results: list[Any] = [None, None]
    others: list[threading.Thread] = []
    count = 0

    def work(index: int) -> None:
        results[index] = space[f"work_{index}"]()

    def trace(frame: Any, event: str, value: Any) -> Any:
        nonlocal count
        count += frame.f_code.co_filename != PROGRAM
        if count == at and not others:
            others.append(threading.Thread(target=work, args=(1,)))
            others[0].start()
            others[0].join(_WAIT)
        return None if others else trace

    def traced() -> None:
        sys.settrace(trace)
        try:
            work(0)
        finally:
            sys.settrace(None)

    first = threading.Thread(target=traced)
    first.start()
    first.join()
    for each in others:
        each.join()
    return native_programs.outcome_of(results, space) if others else None
