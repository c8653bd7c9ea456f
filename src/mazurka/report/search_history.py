"""The course of a search, as data for its plots: samples over time, and the time of each phase of the check.

Of a long search at most :data:`MOST` samples are kept: when there are more, every second one is dropped, and further
samples are taken half as often. Cost: some microseconds for each batch of executions.
"""

from __future__ import annotations

from dataclasses import field
from time import perf_counter  # by name: the module's attributes are a program's virtual clock while it is checked
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.report.exploration_tree import ExplorationTree

#: The most samples that are kept.
MOST: Final = 200

#: Seconds between samples at first.
_APART: Final = 0.01


@dataclass(frozen=True, slots=True)
class SearchSample:
    """The state of a search: seconds since the check began, executions made, places in the source known to need
    scheduling points, distinct failures, the estimated executions of the whole search (None: unknown), and the size of
    the frontier: executions that are known to be left."""

    seconds: float
    executions: int
    points: int
    failures: int
    estimate: float | None = None
    frontier: int = 0


@dataclass(frozen=True, slots=True)
class SearchHistory:
    """The samples of a check, its phases with their seconds, in their order, and the tree of its first executions."""

    samples: tuple[SearchSample, ...]
    phases: tuple[tuple[str, float], ...]
    tree: ExplorationTree | None = None


@dataclass(slots=True)
class SearchRecorder:
    """Takes samples, and the time of phases."""

    started: float = field(default_factory=perf_counter)
    tree: ExplorationTree | None = None
    _samples: list[SearchSample] = field(default_factory=list)
    _latest: SearchSample | None = None
    _apart: float = _APART
    _phases: dict[str, float] = field(default_factory=dict)
    _phase: str = ""
    _since: float = 0.0

    def begins(self, phase: str) -> None:
        """A phase begins, and the one before it ends."""
        now = perf_counter()
        if self._phase:
            self._phases[self._phase] = self._phases.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def sample(
        self, executions: int, points: int, failures: int, estimate: float | None, frontier: int
    ) -> SearchSample:
        """The state of the search now; it is kept, unless the last one has just been kept."""
        seconds = perf_counter() - self.started
        latest = self._latest = SearchSample(seconds, executions, points, failures, estimate, frontier)
        if self._samples and latest.seconds - self._samples[-1].seconds < self._apart:
            return latest
        self._samples.append(latest)
        if len(self._samples) > MOST:
            self._samples = self._samples[::2]
            self._apart *= 2
        return latest

    def history(self) -> SearchHistory:
        """The course of the search until now."""
        self.begins(self._phase)
        last = [] if self._latest in self._samples or self._latest is None else [self._latest]
        return SearchHistory((*self._samples, *last), tuple(self._phases.items()), self.tree)
