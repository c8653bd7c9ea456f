"""Which kernels are compiled ahead for predictions (:mod:`mazurka.jit.warm_up`), and from when on.

From when it is known that a trace is long, while it is still read. Parts that take a few seconds are waited for
(:meth:`Compiling.wait`). The others put these together, which makes long traces faster still; meanwhile that is
interpreted (:func:`mazurka.predict.seqcheck.kernel.postpone`, :func:`mazurka.causal.state.postpone`).

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
from mazurka.jit.warm_up import PACKAGE, CompiledParts, Part, WarmUp
from mazurka.predict.seqcheck import kernel as seqcheck_kernel
from mazurka.trace.event import Location, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import LOCK, THREAD, VARIABLE
from mazurka.trace.trace import Trace

#: Files from so many bytes on may hold traces that are long enough for compiled code.
_LONG: Final = 240_000

#: How often locks are taken in an example that needs not be long.
_FEW: Final = 20

#: So many models are interpreted before it is worth compiling the kernels for them: few traces have more.
_MODELS: Final = 10


def _orders() -> None:
    """The order that comes first, and the checks of locks."""
    from mazurka.order import shb
    from mazurka.trace.columns import parts_of
    from mazurka.trace.malformed import findings_of

    findings_of(parts_of(_example()))
    shb.races(_example())


def _candidates() -> None:
    """Candidates of deadlocks, and the parts of SeqCheck that compile quickly."""
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
    """The solvers that answer them."""
    _ask(lambda name: name == "decide", _FEW)


def _pass() -> None:
    """The passes that ask all of them of a trace."""
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
        self._long = False
        if path.is_file() and path.stat().st_size >= _LONG:
            self.begin()

    def begin(self) -> None:
        """Compile the kernels for long traces, if that has not begun."""
        if self._long or os.name != "posix":
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
        """The same for the kernels of models, which are compiled after so many models."""
        with self._beginning:
            if "model" not in self.warm_up.wanted and not PARTS.done("model").exists():
                self._models += 1
                if self._models < _MODELS:
                    return False
                self.warm_up.begin("model")
            return self.warm_up.is_there("model")

    def is_under_way(self) -> bool:
        """Whether there is something to wait for."""
        return self.warm_up.is_under_way()

    def wait(self) -> None:
        """Until that is there which it is worth waiting for, of which the rest is made then."""
        self.warm_up.wait()
        if self._long:
            self.warm_up.begin("questions", "pass")


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
    PARTS.compile(sys.argv[1:])
