"""Whether the expected answers for the uses of :mod:`benchmarks.libraries` agree with real, preemptive threads.

    make bench ARGS="library-threads --programs 60 --only 'zict*'"      60 trials of each (a minute each)

A correct use has to pass every trial, a bug to fail in one at least. A trial is a call of ``test`` in a forked child
whose threads are delayed between opcodes of the program and of the modules that it includes: half of the trials by one
long pause, half by many short ones; before them there is a child that calls ``test`` as often, with threads switched
every microsecond and no delays. As elsewhere, a trial that fails is a proof, and one that passes is none.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tests.oracle.preemptive import in_child

from benchmarks.row import ROOT, Row, Settings

_LIMIT: Final = 8.0
_LONG: Final = 0.03
_SHORT: Final = (0.0, 0.0002, 0.001)
#: How many opcodes a thread may have done when the long pause comes, at most.
_OPCODES: Final = (30, 200, 1_500, 10_000)
_PLAIN_SECONDS: Final = 2.0


def measure(settings: Settings) -> Iterator[Row]:
    from benchmarks.libraries import uses
    from benchmarks.library_environment import python

    interpreter, trials = python(), min(settings.programs, 500)
    for use in uses(settings.only):
        command = [str(interpreter), "-m", "benchmarks.library_threads", str(use.file), str(trials), *use.include]
        path = os.pathsep.join(map(str, (ROOT, use.file.parent)))
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            yield Row(use.name, "", "error", note=done.stderr.strip().splitlines()[-1], holds=False)
            continue
        failed, first = json.loads(done.stdout.splitlines()[-1])
        demanded = "0 failures" if use.correct else "a failure"
        holds = not failed if use.correct else failed > 0
        yield Row(use.name, demanded, f"{failed} failures", f"of {trials + 1} trials", first[:160], holds)


def failures(name: str, trials: int, include: Sequence[str]) -> tuple[int, str]:
    """How many trials of a module's ``test`` fail, and how the first did."""
    places = tuple(_place(importlib.import_module(each)) for each in (name, "together", *include))
    test = importlib.import_module(name).test
    found = []
    for seed in range(-1, trials):
        ended = in_child(lambda seed=seed: _trial(test, seed, places), _LIMIT)  # type: ignore[misc]
        if ended.late:
            found += ["hangs"] if ended.asleep else []
        elif ended.text != "passed":
            found.append(ended.text or f"died of status {ended.status}")
    return len(found), found[0] if found else ""


def _place(module: Any) -> str:
    """Where the code of a module, or of all modules of a package, is."""
    if paths := list(getattr(module, "__path__", ())):
        return str(paths[0])
    return str(module.__file__)


def _trial(test: Any, seed: int, places: tuple[str, ...]) -> str:
    failed: list[str] = []
    threading.excepthook = lambda raised: failed.append(f"{raised.exc_type.__name__}: {raised.exc_value}")
    sys.setswitchinterval(1e-6)
    until = time.monotonic() + _PLAIN_SECONDS
    if seed >= 0:
        _delay(random.Random(seed), places)
    try:
        test()
        while seed < 0 and not failed and time.monotonic() < until:
            test()
    except BaseException as error:
        failed.append(f"{type(error).__name__}: {error}")
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    time.sleep(0.01)  # a thread that is left may be about to fail
    return failed[0] if failed else "passed"


def _delay(chance: random.Random, places: tuple[str, ...]) -> None:
    """Trace the threads that begin from now on, which delays them."""
    span = chance.choice(_OPCODES) if chance.random() < 0.5 else 0
    often = chance.choice((0.001, 0.01, 0.05))
    local = threading.local()

    def enter(frame: Any, _event: str, _argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(places):
            return None
        if not hasattr(local, "count"):
            local.count, local.at = 0, chance.randrange(span) if span else -1
        frame.f_trace = step
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return step

    def step(_frame: Any, event: str, _argument: object) -> Any:
        if event == "opcode":
            local.count += 1
            if local.count == local.at:
                time.sleep(_LONG)
            elif not span and chance.random() < often:
                time.sleep(chance.choice(_SHORT))
        return step

    threading.settrace(enter)


if __name__ == "__main__":
    _file, _trials, *_include = sys.argv[1:]
    print("\n" + json.dumps(failures(Path(_file).stem, int(_trials), _include)))
