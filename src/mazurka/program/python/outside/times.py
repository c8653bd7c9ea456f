"""Times and numbers of files, which the system assigns in the order in which threads make and change them.

They are the real ones, which do not follow from the explored order. If a program mentions them anywhere
(:data:`.sites.looking_at_times`), a look at those of a file that has changed since the first thread of the run was
started is counted as untracked.

Cost: a comparison for each look at a file.
"""

from __future__ import annotations

import os
from time import time_ns  # by name: the module's attributes are the program's virtual clock during a run
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.run import Models

#: Nanoseconds by which the system's times of files may lag behind its clock.
_LAG: Final = 10_000_000

#: The folder of the library, whose own looks at times a program sees only by requests of its own.
_LIBRARY: Final = os.path.join(os.path.dirname(os.__file__), "")


class _Since:
    time = 0


def begin() -> None:
    """The first thread of a run is about to be started."""
    _Since.time = time_ns() - _LAG


def looked(models: Models, status: Any) -> Any:
    """A program gets the status of a file."""
    if type(status) is os.stat_result and status.st_ctime_ns >= _Since.time and len(models.runtime.tasks) > 1:
        if any(map(_is_of_program, sites.looking_at_times & sites.instrumented)):
            text = "the times, or the number, of a file that was changed while threads ran"
            models.runtime.untracked[text] = models.runtime.untracked.get(text, 0) + 1
    return status


def _is_of_program(file: str) -> bool:
    return not file.startswith(_LIBRARY) or "site-packages" in file
