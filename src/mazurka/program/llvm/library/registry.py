"""All functions of the C library by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mazurka.program.llvm.library import (
    channels,
    composites,
    cplusplus,
    descriptors,
    files,
    memory,
    numbers,
    output,
    process,
    scanning,
    signals,
    threads,
    verifier,
)

#: Those that are steps of their own, or may wait.
STEPPING: Final = frozenset(
    {*threads.FUNCTIONS, *composites.FUNCTIONS, *cplusplus.GUARDS, *channels.FUNCTIONS, "nanosleep", "poll", "select"}
)

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **threads.FUNCTIONS,
    **channels.FUNCTIONS,
    **composites.FUNCTIONS,
    **cplusplus.FUNCTIONS,
    **descriptors.FUNCTIONS,
    **files.FUNCTIONS,
    **memory.FUNCTIONS,
    **numbers.FUNCTIONS,
    **output.FUNCTIONS,
    **process.FUNCTIONS,
    **scanning.FUNCTIONS,
    **signals.FUNCTIONS,
    **verifier.FUNCTIONS,
}
