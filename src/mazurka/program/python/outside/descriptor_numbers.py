"""Numbers of descriptors, which the system gives in the order in which threads open files, pipes and sockets.

No location stands for the table of descriptors: two threads that open files would have their orders multiplied. So a
run in which one thread opens and another one opens or closes something at the same time is counted, if the source of
the program gets at such numbers and compares values that are no constants (:data:`.sites.comparing_descriptors`).

Cost: a look at a set for each file that is opened or closed.
"""

from __future__ import annotations

import os
from typing import Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.run import Models
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Where the library is, which compares numbers of its own only.
_LIBRARY: Final = os.path.join(os.path.dirname(os.__file__), "")


class _Last:
    models: Models | None = None
    opening: Final[set[int]] = set()
    closing: Final[set[int]] = set()


def opened(models: Models) -> None:
    """The running thread opens a descriptor."""
    _note(models, _Last.opening)


def closed(models: Models) -> None:
    """The running thread closes a descriptor, whose number the next one gets."""
    _note(models, _Last.closing)


def _note(models: Models, threads: set[int]) -> None:
    runtime = models.runtime
    if runtime.is_recording or not has_concurrent_threads(runtime):
        return
    if _Last.models is not models:
        _Last.models = models
        _Last.opening.clear()
        _Last.closing.clear()
    threads.add(runtime.current.index)
    if _Last.opening and len(_Last.opening | _Last.closing) > 1:
        if any(map(_is_of_program, sites.comparing_descriptors & sites.instrumented)):
            runtime.untracked["numbers of descriptors, which several threads open, beside comparisons"] = 1


def _is_of_program(file: str) -> bool:
    return not file.startswith(_LIBRARY) or "site-packages" in file
