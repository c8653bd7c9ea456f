"""`input`: one step, which takes a line from the present `sys.stdin`."""

from __future__ import annotations

import builtins
import sys
from typing import Any

from mazurka.program.python.outside.replacing import replace_function
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, pass_step, read
from mazurka.program.python.semantics.gathering import is_seen
from mazurka.program.python.semantics.native_objects import accesses, is_output, state_of
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL


def _touches(models: Models, name: str, method: str) -> list[StepAccess]:
    """The accesses of using one of the standard streams."""
    stream = getattr(sys, name)
    found = [read((GLOBAL, "sys", name), f"sys.{name}")]
    if state_of(type(stream)):
        if not is_output(stream):
            found += [StepAccess(each.op, each.target, "") for each in accesses(stream, Op.RMW)]
    elif not is_seen(getattr(stream, method, None)):
        count_untracked(models.runtime, f"input() by way of sys.{name}")
    return found


def _input(models: Models, real: Any, *prompt: Any) -> str:
    if not models.runtime.solo:
        first, *others = _touches(models, "stdin", "readline") + _touches(models, "stdout", "write")
        pass_step(models, first, *others)
    return str(real(*prompt))


replace_function(builtins, "input", _input)
