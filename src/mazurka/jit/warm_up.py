"""Precompiles the numba kernels in background processes, so that no user waits for numba the first time.

Compiling takes some twenty seconds of processor time, once: numba keeps on disk what it has compiled. Processes of
their own do it, several at a time, from when it is known that a trace is long, while it is still read. What they
compile, a *part*, is what the engines need for a small trace, so nobody keeps lists of functions and types.

Parts that take a few seconds are waited for (:meth:`Compiling.wait`). The others put these together, which makes long
traces faster still; meanwhile that is interpreted (:func:`mazurka.predict.seqcheck.kernel.postpone`,
:func:`mazurka.causal.state.postpone`). Their processes have a low priority, and come to their end even if whoever
wanted them does not need them any more, so that all is there for the next trace.

A file next to numba's says that a part is done, for these sources and this numba. Whoever compiles one holds a lock on
another file, so that however many commands want it, it is compiled once. If a process fails, everything is as if nobody
had prepared anything: what is missing is compiled when it is first called.

Run as ``python -m mazurka.jit.warm_up PART``.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any, Final
from zlib import crc32

import numpy as np

from mazurka.causal import state
from mazurka.predict.seqcheck import kernel as seqcheck_kernel
from mazurka.trace.event import Location, Op
from mazurka.trace.targets import LOCK, THREAD, VARIABLE
from mazurka.trace.trace import Trace

#: Files from so many bytes on may hold traces that are long enough for compiled code.
_LONG: Final = 240_000

#: Folders of sources that are compiled.
_SOURCES: Final = ("causal", "order", "predict", "predict/deadlocks", "predict/seqcheck", "trace", "trace/formats")

#: How often locks are taken in an example that needs not be long.
_FEW: Final = 20

#: So many models are interpreted before it is worth compiling what goes through them: few traces have more.
_MODELS: Final = 10

#: How much less than others those processes matter that nobody waits for.
_NICE: Final = 10


class Compiling:
    """What is compiled for one command."""

    def __init__(self, path: Path) -> None:
        self._wanted: set[str] = set()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._beginning = Lock()
        self._models = 0
        self._long = False
        if path.is_file() and path.stat().st_size >= _LONG:
            self.begin()

    def begin(self) -> None:
        """With what a long trace needs, if that has not begun."""
        if self._long or os.name != "posix":
            return
        self._long = True
        for part in _AWAITED:
            self._begin(part)
        seqcheck_kernel.postpone("decide", lambda: self._is_there("questions"))
        seqcheck_kernel.postpone("scan", lambda: self._is_there("pass"))
        state.postpone(lambda: self._is_there("model"))

    def _begin(self, *parts: str) -> None:
        """What is neither there yet nor being compiled, in a process of its own, which inherits the locks."""
        self._wanted.update(parts)
        missing = [part for part in parts if not _done(part).exists()]
        locks = {part: lock for part in missing if (lock := _lock(part)) is not None}
        if locks:
            command, nothing = [sys.executable, "-P", "-m", __name__, *locks], subprocess.DEVNULL
            process = subprocess.Popen(
                command,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                process_group=0,
                pass_fds=tuple(locks.values()),
            )
            self._processes.append(process)
        for lock in locks.values():
            os.close(lock)

    def _is_there(self, part: str) -> bool:
        with self._beginning:
            if part == "model" and part not in self._wanted and not _done(part).exists():
                self._models += 1
                if self._models < _MODELS:
                    return False
                self._begin(part)
        return part not in self._wanted or _done(part).exists() or not _is_under_way(part)

    def is_under_way(self) -> bool:
        """Whether there is something to wait for."""
        return not all(self._is_there(part) for part in _AWAITED)

    def wait(self) -> None:
        """Until that is there which it is worth waiting for, of which the rest is made then."""
        for part in _AWAITED & self._wanted:
            if not _done(part).exists() and (lock := _lock(part, waits=True)) is not None:
                os.close(lock)
        if self._long:
            self._begin("questions", "pass")


def _lock(part: str, waits: bool = False) -> int | None:
    """The right to compile a part, as an open file; None if somebody has it, or nothing can be written."""
    import fcntl

    path = _done(part).with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        os.close(lock)
        return None
    return lock


def _is_under_way(part: str) -> bool:
    """Whether somebody has that right."""
    import fcntl

    try:
        lock = os.open(_done(part).with_suffix(".lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def main() -> None:
    """Compile the parts that the arguments name."""
    gc.disable()  # there is much to look at, and little to be gained: a sixth of the time
    for part in sys.argv[1:]:
        if part not in _AWAITED:
            os.nice(_NICE)
        _PARTS[part]()
        done = _done(part)
        done.parent.mkdir(parents=True, exist_ok=True)
        done.touch()


@cache
def _done(part: str) -> Path:
    """The file that is there once a part is."""
    package = Path(__file__).parent
    files = [path for folder in _SOURCES for path in sorted((package / folder).glob("*.py"))]
    stats = [(path.name, found.st_mtime_ns, found.st_size) for path in files for found in (path.stat(),)]
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = ""
    key = crc32(repr((stats, numba, sys.version_info)).encode())
    return _folder(package) / f"compiled-{part}-{key:08x}"


def _folder(package: Path) -> Path:
    """Where numba keeps things, too, or somewhere else that is private."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given)
    return package / "__pycache__" if os.access(package, os.W_OK) else Path.home() / ".cache" / "mazurka"


# -- parts ------------------------------------------------------------------------------------------------------------


def _orders() -> None:
    """The order that comes first, and what checks locks."""
    from mazurka.order import shb
    from mazurka.trace.columns import parts_of
    from mazurka.trace.malformed import findings_of

    findings_of(parts_of(_example()))
    shb.races(_example())


def _candidates() -> None:
    """Deadlocks that there may be, and what is quickly compiled of SeqCheck."""
    from mazurka.predict.deadlocks.lock_cycles import LockCycles

    next(LockCycles(_example()).patterns())
    _ask(lambda name: name not in seqcheck_kernel.SLOW, _FEW)


def _steps(*names: str) -> None:
    """Of a question, as they are called while the rest is interpreted."""
    import numba

    from mazurka.predict.seqcheck.engine import SeqCheck

    kernel, compiled = seqcheck_kernel.INTERPRETED, seqcheck_kernel.compiled()
    type_of: Any = numba.typeof
    check = SeqCheck(_example(_FEW), whole=False, kernel=kernel)
    events, pairs = np.empty(0, np.int64), np.empty((0, 2), np.int64)
    _, order = kernel.close(check.index, check.cone, check.slot, pairs)
    arguments = {
        "look_from": (check.index, check.cone, 0),
        "grow": (check.index, check.cone, events, events, events),
        "_as_it_was": (check.index, check.cone),
        "close": (check.index, check.cone, check.slot, pairs),
        "forget": (order,),
        "lay_out": (check.index, check.cone, order, 0),
    }
    for name in names:
        getattr(compiled, name).compile(tuple(type_of(each) for each in arguments[name]))


def _questions() -> None:
    """What answers them."""
    _ask(lambda name: name == "decide", _FEW)


def _pass() -> None:
    """What asks them all of a trace."""
    _ask(lambda name: name == "scan", _FEW)


def _ask(is_compiled: Callable[[str], bool], times: int) -> None:
    """Look for races by functions some of which are compiled."""
    from mazurka.predict.seqcheck.engine import SeqCheck
    from mazurka.predict.seqcheck.races import SeqCheckRaces

    compiled = vars(seqcheck_kernel.compiled())
    kernel = vars(seqcheck_kernel.INTERPRETED) | {name: compiled[name] for name in compiled if is_compiled(name)}
    check = SeqCheck(_example(times), whole=False, kernel=SimpleNamespace(**kernel))
    for claim, _ in SeqCheckRaces().answers(check):
        check.prove(claim)


def _model() -> None:
    """The complete solver."""
    from mazurka.predict.questions import Questions
    from mazurka.witness.witness import Races

    trace = _example()
    Questions(trace).ask(Races(len(trace) - 3, len(trace) - 2))


_CLOSING: Final = ("close", "forget")

_PARTS: Final[dict[str, Callable[[], None]]] = {
    "orders": _orders,
    "candidates": _candidates,
    "closing": partial(_steps, *_CLOSING),
    "steps": partial(_steps, *sorted(seqcheck_kernel.STEPS.difference(_CLOSING))),
    "questions": _questions,
    "pass": _pass,
    "model": _model,
}

#: Those that are waited for. Nobody waits for the others.
_AWAITED: Final = {"orders", "candidates", "closing", "steps"}


def _example(times: int = 8_000) -> Trace:
    """Two threads that take many pairs of locks in either order, so many times, and race in the end."""
    pairs = 128
    first, second = 2 * (np.arange(times) % pairs) + 2, 2 * (np.arange(times) % pairs) + 3
    take, give = int(Op.ACQUIRE), int(Op.RELEASE)
    both = np.stack([first, second, second, first, second, first, first, second], axis=1).ravel()
    thread = [0, *([0] * 4 + [1] * 4) * times, 0, 1, 0]
    op = [int(Op.FORK), *[take, take, give, give] * 2 * times, int(Op.WRITE), int(Op.WRITE), int(Op.JOIN)]
    target = [1, *both.tolist(), 2 * pairs + 2, 2 * pairs + 2, 1]
    rows = len(thread)
    return Trace(
        np.arange(rows, dtype=np.int32),
        np.array(thread, np.int32),
        np.array(op, np.int8),
        np.array(target, np.int32),
        np.full(rows, -1, np.int32),
        np.array([0, *list(range(1, 9)) * times, 9, 10, 11], np.int32),
        ["0", "1"],
        [(THREAD, "0"), (THREAD, "1"), *((LOCK, str(lock)) for lock in range(2 * pairs)), (VARIABLE, "shared")],
        [],
        [Location("example", line) for line in range(1, 13)],
    )


if __name__ == "__main__":
    main()
