"""The knowledge that variants of one program share, as a test that runs with many combinations of parameters.

Trial runs of one variant mostly find the points, and enter the modules of the standard library, that those of the next
one would. A search is complete with any set of points that has those that it needs. More points make executions longer,
and modules that are explored for one variant may cost another one an answer; neither gives a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from mazurka.lazy_dataclass import dataclass


@dataclass(slots=True)
class KnownVariants:
    """``points`` are those that trial runs have found; ``explored`` are modules of the standard library that are
    instrumented since runs enter them; ``undo`` takes the instrumentation out again."""

    points: set[int] = field(default_factory=set)
    explored: list[str] = field(default_factory=list)
    undo: list[Callable[[], None]] = field(default_factory=list)

    def forget(self) -> None:
        """Forget all of it; call it while no program uses it."""
        while self.undo:
            self.undo.pop()()
        self.points.clear()
        self.explored.clear()
