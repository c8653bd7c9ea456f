"""All functions of the C library by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mazurka.program.llvm.library import (
    composites,
    cplusplus,
    files,
    memory,
    numbers,
    output,
    process,
    scanning,
    threads,
    verifier,
)

#: Those that are steps of their own, or may wait.
STEPPING: Final = frozenset({*threads.FUNCTIONS, *composites.FUNCTIONS, *cplusplus.GUARDS, "nanosleep"})

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **threads.FUNCTIONS,
    **composites.FUNCTIONS,
    **cplusplus.FUNCTIONS,
    **files.FUNCTIONS,
    **memory.FUNCTIONS,
    **numbers.FUNCTIONS,
    **output.FUNCTIONS,
    **process.FUNCTIONS,
    **scanning.FUNCTIONS,
    **verifier.FUNCTIONS,
}
