"""The hooks at control flow: tests, passes through loops, and functions where these are wanted as events."""

from __future__ import annotations

import sys
from typing import Any

from mazurka.program.python import activation
from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.liveness import spin
from mazurka.program.python.semantics import deep_access, operators
from mazurka.program.python.semantics.class_shapes import operation
from mazurka.program.python.semantics.locations import perform
from mazurka.trace.event import Op
from mazurka.trace.targets import BRANCH, FUNCTION


def branch(thing: Any, site: int) -> Any:
    """``thing`` is about to be tested for truth."""
    run = activation.active
    if run is None or run.solo or thing is True or thing is False or thing is None:
        return thing
    handler = operation(thing, "__len__")
    if handler is not None:
        perform(run, site, handler, thing, site, ())
    elif type(thing) not in deep_access.PLAIN and not run.is_recording:
        kind = type(thing)
        name = "__bool__" if hasattr(kind, "__bool__") else "__len__"
        if hasattr(kind, name):  # without either an object is true, whatever its state
            operators.operate_on(run, thing, name, site)
    return thing


def branching(thing: Any, site: int) -> Any:
    """``thing`` is about to be tested for truth, where branches are wanted as events."""
    run = activation.active
    if run is not None and not run.solo:
        branch(thing, site)
        run.visit(Op.BRANCH, BRANCH, site, None, (), False)
    return thing


def called(name: str, site: int) -> bool:
    """A function of the program begins, where calls are wanted as events."""
    run = activation.active
    if run is not None and not run.solo:
        run.visit(Op.CALL, (FUNCTION, name), site, None, (), False)
    return True


def returned(value: Any, name: str, site: int) -> Any:
    """A function of the program returns ``value``, where calls are wanted as events."""
    run = activation.active
    if run is not None and not run.solo:
        run.visit(Op.RETURN, (FUNCTION, name), site, None, (), False)
    return value


def loop(site: int) -> None:
    """A pass through a ``while`` loop begins."""
    run = activation.active
    if run is not None:
        run.passed_loop()
        if not run.solo and not run.aborting:
            spin.at_head(run, sys._getframe(1), site)


def leave(site: int) -> None:
    """A ``while`` loop has been left."""
    run = activation.active
    if run is not None and run.current.loops:
        with contextlib.suppress(RecursionError):  # if it fails, the state of the loop is dropped later
            spin.left(run.current, sys._getframe(1), site)
