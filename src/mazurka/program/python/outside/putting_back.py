"""State outside the Python heap is saved before a run first changes it, and put back at its end.

Cost: nothing for runs that change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from mazurka.program.python.primitives import run as _run
from mazurka.program.python.primitives.run import Models

_saved: Final[set[Hashable]] = set()


def undo_at_end(models: Models, thing: Hashable, save: Callable[[], Callable[[], object]]) -> None:
    """Before the run changes ``thing`` for the first time: ``save()`` returns the function that puts it back."""
    if thing not in _saved:
        _saved.add(thing)
        models.undo.append(save())


def _begin(models: Models) -> None:
    _saved.clear()


_run.beginners.append(_begin)
