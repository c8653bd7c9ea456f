"""The unknown inputs of a program (:mod:`mazurka.unknown_inputs`) in an execution.

Asking for one is no step: inputs are numbered by thread, so that an input is the same in every order.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from mazurka import unknown_inputs
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.run import here

#: Named as untracked: code may see by these that an unknown input is no plain integer.
_TOLD_APART: Final = "the types or the identity of values in {}, in a program with unknown inputs"


class Inputs:
    """Implements :class:`mazurka.unknown_inputs.InputsModel`."""

    def is_running(self) -> bool:
        models = here()
        return models is not None and models.runtime.conditions is not None

    def integer(self, name: str, low: int, high: int) -> Any:
        models = here()
        assert models is not None
        run = models.runtime
        assert run.conditions is not None
        for file in sorted(sites.instrumented & (sites.comparing_identity | sites.looking_at_types)):
            run.untracked[_TOLD_APART.format(os.path.basename(file))] = 1
        thread = run.current.name
        return run.conditions.number(name if thread == "0" else f"{name} of thread {thread}", low, high)


def install() -> Callable[[], None]:
    """Have inputs be unknown from now on; returns the function that undoes this."""
    unknown_inputs.model = Inputs()

    def undo() -> None:
        unknown_inputs.model = None

    return undo
