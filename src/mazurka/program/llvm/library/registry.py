"""All functions of the C library, and LLVM's own, by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mazurka.program.llvm.c_library import CLibrary, LibraryFunction
from mazurka.program.llvm.library import (
    addresses,
    atomic_waits,
    c11_threads,
    cancellation,
    channels,
    characters,
    composites,
    cplusplus,
    descriptors,
    environment,
    exits,
    files,
    floats,
    intrinsics,
    jumps,
    locales,
    memory,
    numbers,
    options,
    output,
    process,
    processor,
    read_write_locks,
    scanning,
    semaphores,
    signals,
    strings,
    threads,
    times,
    variable_arguments,
    verifier,
)

_TYPE_IN_NAME: Final = re.compile(r"(v\d+)?[ipf]\d+")

#: Those that are steps of their own, or may wait.
_STEPPING: Final = frozenset(
    {
        *threads.FUNCTIONS,
        *c11_threads.FUNCTIONS,
        *cancellation.FUNCTIONS,
        *composites.FUNCTIONS,
        *read_write_locks.FUNCTIONS,
        *semaphores.FUNCTIONS,
        *atomic_waits.FUNCTIONS,
        *cplusplus.GUARDS,
        *channels.FUNCTIONS,
        "nanosleep",
        "clock_nanosleep",
        "poll",
        "select",
    }
)

_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **threads.FUNCTIONS,
    **c11_threads.FUNCTIONS,
    **addresses.FUNCTIONS,
    **atomic_waits.FUNCTIONS,
    **cancellation.FUNCTIONS,
    **channels.FUNCTIONS,
    **characters.FUNCTIONS,
    **composites.FUNCTIONS,
    **cplusplus.FUNCTIONS,
    **descriptors.FUNCTIONS,
    **environment.FUNCTIONS,
    **exits.FUNCTIONS,
    **files.FUNCTIONS,
    **floats.FUNCTIONS,
    **jumps.FUNCTIONS,
    **locales.FUNCTIONS,
    **memory.FUNCTIONS,
    **read_write_locks.FUNCTIONS,
    **numbers.FUNCTIONS,
    **options.FUNCTIONS,
    **output.FUNCTIONS,
    **process.FUNCTIONS,
    **processor.FUNCTIONS,
    **scanning.FUNCTIONS,
    **semaphores.FUNCTIONS,
    **signals.FUNCTIONS,
    **strings.FUNCTIONS,
    **times.FUNCTIONS,
    **variable_arguments.FUNCTIONS,
    **verifier.FUNCTIONS,
}


def _canonical(name: str) -> str:
    """The name that a function has here: without the standard it is of, or the types of LLVM's own functions."""
    if not name.startswith("llvm."):
        return re.sub("^__isoc(99|23)_", "", name)
    untyped = ".".join(part for part in name.split(".") if not _TYPE_IN_NAME.fullmatch(part))
    return untyped if untyped in _FUNCTIONS and name not in _FUNCTIONS else name


def _function(name: str) -> LibraryFunction | None:
    """The function of such a name; None if there is none."""
    return _FUNCTIONS.get(name) or (intrinsics.intrinsic(name) if name.startswith("llvm.") else None)


def _names(machine: Any) -> dict[str, Any]:
    return {
        "jump_frame": jumps.JumpFrame,
        "set_jump": partial(jumps.set_jump, machine),
        "Jump": jumps.Jump,
        "va_start": partial(variable_arguments.begin, machine),
        "by_value": variable_arguments.by_value,
        "long_double": variable_arguments.LongDouble,
        "landing": partial(cplusplus.landing, machine),
        "resumed": partial(cplusplus.resumed, machine),
    }


LIBRARY: Final = CLibrary(_canonical, _function, _STEPPING, cancellation.CANCELS, cancellation.as_point, _names)
