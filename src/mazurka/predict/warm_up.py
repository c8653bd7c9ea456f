"""The compilation of kernels for predictions ahead of use (:mod:`mazurka.jit.warm_up`).

It begins as soon as a trace is known to be long, while it is still read. Predictions wait for parts that compile in a
few seconds (:meth:`Compiling.wait`). The other parts combine these, and make long traces faster still; they are
interpreted meanwhile (:func:`mazurka.predict.seqcheck.kernel.postpone`, :func:`mazurka.causal.state.postpone`).

Run as ``python -m mazurka.predict.warm_up PART...``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from mazurka.causal import state
from mazurka.jit.compile import is_available
from mazurka.jit.warm_up import PACKAGE, CompiledParts, Part, WarmUp
from mazurka.predict.seqcheck import kernel as seqcheck_kernel
from mazurka.trace.event import Location, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import LOCK, THREAD, VARIABLE
from mazurka.trace.trace import Trace

#: Files of at least so many bytes may hold traces that are long enough for compiled code.
_LONG: Final = 240_000

#: The number of acquires in an example that need not be long.
_FEW: Final = 20

#: The number of interpreted models after which compiling the kernels for them pays: few traces have more.
_MODELS: Final = 10


def _orders() -> None:
    """Compile the first order, and the checks of locks."""
    from mazurka.order import shb
    from mazurka.trace.columns import parts_of
    from mazurka.trace.malformed import findings_of

    findings_of(parts_of(_example()))
    shb.races(_example())


def _candidates() -> None:
    """Compile the search for candidates of deadlocks, and the parts of SeqCheck that compile quickly."""
    from mazurka.predict.deadlocks.lock_cycles import LockCycles

    next(LockCycles(_example()).patterns())
    _ask(lambda name: name not in seqcheck_kernel.SLOW, _FEW)


def _steps(*names: str) -> None:
    """Compile steps of a question, as interpreted code calls them."""
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
    """Compile the function that decides questions."""
    _ask(lambda name: name == "decide", _FEW)


def _pass() -> None:
    """Compile the pass that asks all questions about a trace."""
    _ask(lambda name: name == "scan", _FEW)


def _ask(is_compiled: Callable[[str], bool], times: int) -> None:
    """Search for races with the functions that ``is_compiled`` names compiled."""
    from mazurka.predict.seqcheck.engine import SeqCheck
    from mazurka.predict.seqcheck.races import SeqCheckRaces

    compiled = vars(seqcheck_kernel.compiled())
    kernel = vars(seqcheck_kernel.INTERPRETED) | {name: compiled[name] for name in compiled if is_compiled(name)}
    check = SeqCheck(_example(times), whole=False, kernel=SimpleNamespace(**kernel))
    for claim, _ in SeqCheckRaces().answers(check):
        check.prove(claim)


def _model() -> None:
    """Compile the complete solver."""
    from mazurka.predict.questions import Questions
    from mazurka.witness.witness import Races

    trace = _example()
    Questions(trace).ask(Races(StepIndex(len(trace) - 3), StepIndex(len(trace) - 2)))


_CLOSING: Final = ("close", "forget")

#: Folders of sources that are compiled.
_SOURCES: Final = (
    *("jit", "causal", "order", "predict", "predict/deadlocks", "predict/seqcheck"),
    *("trace", "trace/formats"),
)

PARTS: Final = CompiledParts(
    __name__,
    {
        "orders": Part(_orders, is_awaited=True),
        "candidates": Part(_candidates, is_awaited=True),
        "closing": Part(partial(_steps, *_CLOSING), is_awaited=True),
        "steps": Part(partial(_steps, *sorted(seqcheck_kernel.STEPS.difference(_CLOSING))), is_awaited=True),
        "questions": Part(_questions),
        "pass": Part(_pass),
        "model": Part(_model),
    },
    tuple([PACKAGE / folder for folder in _SOURCES]),
)


class Compiling:
    """The background compilation for predictions of one trace."""

    def __init__(self, path: Path) -> None:
        self.warm_up = WarmUp(PARTS)
        self._beginning = Lock()
        self._models = 0
        self._long = self._wanted = False
        if path.is_file() and path.stat().st_size >= _LONG:
            self.begin()

    def begin(self) -> None:
        """Compile the kernels for long traces, if that has not begun."""
        self._wanted = True
        if self._long or os.name != "posix" or not is_available():
            return
        self._long = True
        for part in PARTS.awaited:
            self.warm_up.begin(part)
        seqcheck_kernel.postpone("decide", lambda: self._is_there("questions"))
        seqcheck_kernel.postpone("scan", lambda: self._is_there("pass"))
        state.postpone(self._is_model_there)

    def _is_there(self, part: str) -> bool:
        with self._beginning:
            return self.warm_up.is_there(part)

    def _is_model_there(self) -> bool:
        """Whether the kernels of models are compiled; their compilation begins after a number of models."""
        with self._beginning:
            if "model" not in self.warm_up.wanted and not PARTS.done("model").exists():
                self._models += 1
                if self._models < _MODELS:
                    return False
                self.warm_up.begin("model")
            return self.warm_up.is_there("model")

    @property
    def is_lacking(self) -> bool:
        """Whether the trace is long, and there is no compiler."""
        return self._wanted and not is_available()

    def is_under_way(self) -> bool:
        """Whether a part is being compiled for which waiting pays."""
        return self.warm_up.is_under_way()

    def wait(self) -> None:
        """Wait for the parts for which waiting pays; then begin with the rest, which is made of them."""
        self.warm_up.wait()
        if self._long:
            self.warm_up.begin("questions", "pass")


def _example(times: int = 8_000) -> Trace:
    """A trace of two threads that acquire many pairs of locks in either order, ``times`` times, and race in the end."""
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
    PARTS.compile(sys.argv[1:])
