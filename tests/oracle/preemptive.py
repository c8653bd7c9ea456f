"""Runs of a program under real, preemptive threads of CPython: the oracle for `verified`.

A *trial* is a run of a program file in a forked child whose threads are delayed at random between two opcodes, so that
orders come about that a machine would show once in a million runs. There are two kinds of delays, as two kinds of bugs
ask for them: *one long pause* at one opcode of one thread, in which all others come to their ends (most bugs need one
or two switches), and *many short ones*. Which opcodes they hit follows from the seed, the number of the thread (in the
order in which threads begin) and how many opcodes it has done; the steps of the others meanwhile are up to the machine.
So a trial that fails is a proof, and one that passes is none.

A trial *fails* if a thread ends by an uncaught exception (``SystemExit`` with a status of 0 or none aside),
if the process dies of a signal, or if it *hangs*: no result within the limit, and all of its threads asleep. One that
is busy, or has not come to its end on a busy machine, proves nothing.

Invariant: the trial touches nothing of the parent's; it runs in a temporary directory of its own, in a new session.
Cost: ten milliseconds for a fork of a process that has much imported, and as many for the run itself.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import select
import signal
import sys
import tempfile
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_PASSED: Final = "passed"
_FAILED: Final = "failed"
_MOST_TOLD: Final = 2_000

#: How long the one long pause is (the others of a small program end within it), and short ones.
_LONG: Final = 0.004
_SHORT: Final = (0.0, 0.0002, 0.001)
#: How many opcodes a thread of a small program does, at most: within so many the long pauses are.
_OPCODES: Final = (12, 40, 150, 600)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its output, and whether it was killed as too slow, or while all its threads slept."""

    text: str
    status: int = 0
    late: bool = False
    asleep: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial that failed: its seed (-1: nothing was delayed), and how it failed."""

    seed: int
    failure: str


def hunt(path: str | Path, trials: int, *, first: int = 0, seconds: float = 5.0, until: float = 1e9) -> Trial | None:
    """The first trial of a program that fails: one without delays, and then those of seeds from ``first`` on.

    ``until`` is how many seconds all of them may take.
    """
    begun = time.monotonic()
    for seed in (-1, *range(first, first + trials)):
        failure = trial(path, seed, seconds)
        if failure:
            return Trial(seed, failure)
        if time.monotonic() - begun > until:
            break
    return None


def trial(path: str | Path, seed: int, seconds: float = 5.0) -> str:
    """How one trial failed ("": it did not)."""
    file = os.path.abspath(path)
    with tempfile.TemporaryDirectory(prefix="trial-") as folder:

        def run() -> str:
            os.chdir(folder)
            return _run(file, seed)

        ended = in_child(run, seconds)
    if ended.late:
        return "hangs" if ended.asleep else ""
    if not ended.text:
        return f"died of status {ended.status}"
    verdict, _, text = ended.text.partition(" ")
    if verdict not in (_FAILED, _PASSED):
        raise RuntimeError(f"the oracle itself failed: {ended.text}")
    return text if verdict == _FAILED else ""


def in_child(function: Callable[[], str], seconds: float) -> Ended:
    """Call a function in a forked process, which has an empty input, and whose output is dropped."""
    reading, writing = os.pipe()
    with warnings.catch_warnings(
        action="ignore", category=DeprecationWarning
    ):  # that of threads: none of them is needed
        process = os.fork()
    if process == 0:
        os.close(reading)
        _serve(function, writing)
    os.close(writing)
    try:
        text, late = _receive(reading, seconds)
        asleep = late and _sleeps(process)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
    return Ended(text, status, late, asleep)


def _serve(function: Callable[[], str], writing: int) -> None:
    """The child's side; never returns."""
    text = ""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        text = function()
    except BaseException as error:
        text = f"raised {type(error).__name__}: {error}"
    finally:
        with contextlib.suppress(OSError):
            data = memoryview(text.encode(errors="replace"))
            while data:
                data = data[os.write(writing, data) :]
        os._exit(0)


def _receive(reading: int, seconds: float) -> tuple[str, bool]:
    """All that the child writes, and whether it took too long."""
    parts: list[bytes] = []
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([reading], [], [], left)
        if ready:
            part = os.read(reading, 1 << 16)
            if not part:
                return b"".join(parts).decode(errors="replace"), False
            parts.append(part)
    return b"".join(parts).decode(errors="replace"), True


def _sleeps(process: int) -> bool:
    """Whether no thread of a process has used the processor for a while, nor wants it."""
    before = _processor_time(process)
    for _ in range(10):
        time.sleep(0.02)
        if not _all_asleep(process):
            return False
    return _processor_time(process) == before


def _processor_time(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return -1.0
    return float(fields[11]) + float(fields[12])


def _all_asleep(process: int) -> bool:
    with contextlib.suppress(OSError):
        stats = [task / "stat" for task in Path(f"/proc/{process}/task").iterdir()]
        return all(stat.read_text().rpartition(")")[2].split()[0] == "S" for stat in stats)
    return False


def _run(file: str, seed: int) -> str:
    """In the child: run the program; returns the outcome."""
    failures: list[str] = []
    atexit._clear()  # those of the parent
    threading.excepthook = lambda raised: _note(failures, raised.exc_type, raised.exc_value)
    source = Path(file).read_bytes()
    code = compile(source, file, "exec", dont_inherit=True)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=file, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    sys.argv = [file]
    sys.path.insert(0, os.path.dirname(file))
    random.seed(seed)  # the program's random numbers repeat, too
    if seed >= 0:
        _Delays(seed, file).install()
    try:
        exec(code, module.__dict__)
        _join_all()
        sys.unraisablehook = lambda raised: _note(failures, raised.exc_type, raised.exc_value)
        atexit._run_exitfuncs()
    except BaseException as error:
        _note(failures, type(error), error)
    finally:
        sys.settrace(None)
    return f"{_FAILED} {failures[0]}"[:_MOST_TOLD] if failures else _PASSED


def _note(failures: list[str], kind: type[BaseException], error: BaseException | None) -> None:
    if kind is SystemExit and not getattr(error, "code", None):
        return
    failures.append(f"{kind.__name__}: {error}")


def _join_all() -> None:
    """Join all threads, like the interpreter before it ends."""
    for each in threading.enumerate():
        if not each.daemon and each is not threading.main_thread() and each is not threading.current_thread():
            each.join()


class _Delays:
    """Delays threads between opcodes."""

    def __init__(self, seed: int, file: str) -> None:
        self._seed = seed
        self._begun = 0
        chance = random.Random(seed)
        self._long = chance.random() < 0.6
        self._everywhere = chance.random() < 0.4  # in the standard library, too
        self._often = chance.choice((0.02, 0.05, 0.15, 0.4))
        self._span = chance.choice(_OPCODES)
        self._pauses = chance.choice((1, 1, 2, 3))
        self._file = file
        self._folder = os.path.dirname(file)
        self._local = threading.local()

    def install(self) -> None:
        sys.setswitchinterval(1e-5)
        threading.settrace(self._enter)
        sys._getframe().f_trace_opcodes = True  # since 3.12 looked at when tracing is set, not when a frame asks
        sys.settrace(self._enter)

    def _enter(self, frame: Any, event: str, argument: object) -> Any:
        points: Iterator[float] | None = getattr(self._local, "points", None)
        if points is None:
            points = self._local.points = self._waits(self._begun)
            self._begun += 1
            time.sleep(next(points))
        name = frame.f_code.co_filename
        if name == __file__ or name.startswith("<frozen"):
            return None
        if not self._everywhere and not name.startswith((self._folder, "<str")):
            return None
        frame.f_trace = self._step  # since 3.13 opcodes are traced only where this is set
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self._step

    def _step(self, frame: Any, event: str, argument: object) -> Any:
        if event == "opcode":
            wait = next(self._local.points)
            if wait >= 0:
                time.sleep(wait)
        return self._step

    def _waits(self, thread: int) -> Iterator[float]:
        """How long a thread waits before each of its opcodes; negative: not at all. The first is before it begins."""
        chance = random.Random(self._seed * 1_000_003 + thread)
        yield chance.choice((0.0, 0.0, 0.0005, 0.002, 0.008)) if thread else 0.0
        if self._long:
            count = 0 if thread == 0 and chance.random() < 0.7 else self._pauses
            at = {chance.randrange(self._span) for _ in range(count)}
            for step in range(self._span):
                yield _LONG if step in at else -1.0
            while True:
                yield -1.0
        while True:
            yield chance.choice(_SHORT) if chance.random() < self._often else -1.0


def main() -> None:
    """``python -m tests.oracle.preemptive TRIALS FILE...`` says of each file how it fails, if it does."""
    trials, *files = sys.argv[1:]
    for file in files:
        found = hunt(file, int(trials))
        print(file, "passes" if found is None else f"fails with seed {found.seed}: {found.failure}", flush=True)


if __name__ == "__main__":
    main()
