"""The forms of steps: which locations a step accesses, as far as runs have shown it, by the writes that it reads from.

A step of C code may read one location, and depending on the value read another one, or write (mcr.py). The *form* of a
step, the targets that it reads and writes, is determined by the state of its thread and the writes that it reads from.
This is a tree for each state: after such a prefix of sources, the step reads that target next, or it reads no more and
writes those targets. So the tree says of a step in a hypothetical place either what it would access, or after which
sources that is not known. Where that matters, a *probe* is executed: a run in which the step reads so.

Invariant: one continuation for each prefix. Accesses whose order is not that in which they depend on each other break
it; the search then ends with a doubt (``contradicted``).

Cost: a few dictionary look-ups for a step with reads; about 200 bytes for each such step that is new.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mazurka.causal.history import INITIAL, INITIAL_PRINT, History, fingerprint
from mazurka.explore.reads_from.tree import Branch
from mazurka.trace.ids import SiteNumber, StepIndex


@dataclass(frozen=True, slots=True)
class Continuation:
    """A step reads ``target`` next; or, if ``ends``, no more, and writes ``writes``."""

    ends: bool
    target: Any = None
    writes: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A run offers all that it can only once it is known how a step goes on after ``key``, unless as ``expected``.

    That is so if all ``given`` holds: that another step, or this one before, goes on so after such a key.
    """

    key: int
    expected: Continuation
    given: tuple[tuple[int, Continuation], ...] = ()


class StepForms:
    """The forms of steps known so far, and the runs that wait for others to become known."""

    def __init__(self) -> None:
        self.known: dict[int, Continuation] = {}
        self.several: set[SiteNumber] = set()  # sites whose steps may have several accesses
        self.single: set[SiteNumber] = set()  # sites whose steps have had one, a read
        self.possible: dict[int, bool] = {}  # by key: whether a step can come so far, if that has been asked
        self.contradicted = False
        self.waiting: dict[int, list[tuple[Branch, Unresolved]]] = {}  # by key
        self.probes: deque[tuple[int, tuple[str, ...]]] = deque()  # prefixes of runs that show how a step goes on
        self.open: Counter[Branch] = Counter()  # how many continuations a run waits for
        self.settled: list[Branch] = []  # runs that wait no more, and have offered all
        self._shared: dict[Continuation, Continuation] = {}

    def clear(self) -> None:
        """The search begins again: no run waits any more."""
        self.waiting.clear()
        self.open.clear()
        self.settled.clear()

    # -- learning -----------------------------------------------------------------------------------------------------

    def sort(self, history: History, sites: Sequence[SiteNumber], data_steps: Iterable[StepIndex]) -> bool:
        """Take in which sites have steps of several accesses; whether one was taken for another before."""
        late = False
        for step in data_steps:
            site = sites[step]
            if site in self.several:
                continue
            if not history.writes[step] and len(history.reads[step]) == 1:
                self.single.add(site)
                continue
            self.several.add(site)
            late |= site in self.single
            self.single.discard(site)
        return late

    def learn(self, history: History, steps: Iterable[StepIndex]) -> list[Branch]:
        """Take in the forms of steps; returns the runs that have more to offer now."""
        found: list[Branch] = []
        prints = history.prints
        for step in steps:
            state, reads = history.states[step], history.reads[step]
            sources: list[int] = []
            for target, source in reads:
                self._add(fingerprint(state, sources), Continuation(False, target), found)
                sources.append(INITIAL_PRINT if source == INITIAL else prints[source])
            self._add(prints[step], Continuation(True, None, history.writes[step]), found)
        return found

    def _add(self, key: int, continuation: Continuation, found: list[Branch]) -> None:
        present = self.known.get(key)
        if present is not None:
            self.contradicted |= present != continuation
            return
        continuation = self._shared.setdefault(continuation, continuation)
        self.known[key] = continuation
        for branch, unresolved in self.waiting.pop(key, ()):
            self._let_go(branch)
            if unresolved.expected != continuation:
                found.append(branch)

    # -- waiting ------------------------------------------------------------------------------------------------------

    def wait(self, branch: Branch, unresolved: Unresolved) -> None:
        """Have a run wait for a step's continuation."""
        self.waiting.setdefault(unresolved.key, []).append((branch, unresolved))
        self.open[branch] += 1

    def is_awaited(self, key: int) -> bool:
        """Whether runs wait for this continuation and no run has shown that it can't come."""
        return any(not self._is_void(each) for _, each in self.waiting.get(key, ()))

    def next_probe(self) -> tuple[int, tuple[str, ...]] | None:
        """A key that runs wait for, and the prefix of a run that shows how the step goes on after it.

        No run waits any more for what can't come: a step went on otherwise before that.
        """
        for key, waiting in list(self.waiting.items()):
            for branch, unresolved in waiting:
                if self._is_void(unresolved):
                    self._let_go(branch)
            self.waiting[key] = [(branch, each) for branch, each in waiting if not self._is_void(each)]
            if not self.waiting[key]:
                del self.waiting[key]
        while self.probes:
            key, prefix = self.probes.popleft()
            if key in self.waiting:
                return key, prefix
        return None

    def _let_go(self, branch: Branch) -> None:
        self.open[branch] -= 1
        if not self.open[branch]:
            del self.open[branch]
            self.settled.append(branch)

    def _is_void(self, unresolved: Unresolved) -> bool:
        return any(self.known.get(key, expected) != expected for key, expected in unresolved.given)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way for a step to read: (target, source) of each access, and the prints of the sources; then it ``writes``.

    Only so many of the reads are ``sure`` to be those of the step. After them its form is not known, unless it is
    ``exact``, and a guess: that of the run.
    """

    reads: tuple[tuple[Any, StepIndex], ...]
    prints: tuple[int, ...]
    writes: tuple[Any, ...]
    sure: int
    exact: bool


#: No reads, and nothing unknown about it.
NOTHING: Final = Reading((), (), (), 0, True)


def chain(state: int, reading: Reading) -> Iterator[tuple[int, Continuation]]:
    """The keys of a reading's unknown part, each with the way in which the step is guessed to go on after it."""
    reads, prints = reading.reads, reading.prints
    for depth in range(reading.sure, len(reads)):
        yield fingerprint(state, prints[:depth]), Continuation(False, reads[depth][0])
    if not reading.exact:
        yield fingerprint(state, prints), Continuation(True, None, reading.writes)


class Readings:
    """All ways for a step of a run to read, if it may read each target from the sources that ``options`` says."""

    def __init__(
        self,
        forms: StepForms,
        history: History,
        step: StepIndex,
        options: Callable[[Any], Sequence[StepIndex]],
        print_of: Callable[[StepIndex], int],
    ) -> None:
        self._known = forms.known
        self._state = history.states[step]
        self._shown = history.reads[step]
        self._ends = Continuation(True, None, history.writes[step])
        self._writers = history.writers
        self._options = options
        self._print_of = print_of

    def all(self) -> Iterator[Reading]:
        """One by one, by the sources of the first read, then of the second ..."""
        return self._after((), (), None, True)

    def _after(
        self,
        reads: tuple[tuple[Any, StepIndex], ...],
        prints: tuple[int, ...],
        sure: int | None,
        as_shown: bool,
    ) -> Iterator[Reading]:
        """``as_shown``: so far the targets are those of the run."""
        following = self._known.get(fingerprint(self._state, prints)) if sure is None else None
        if following is None:
            sure = len(reads) if sure is None else sure
            following = self.guess(len(reads)) if as_shown else Continuation(True)
        if following.ends:
            yield Reading(reads, prints, following.writes, len(reads) if sure is None else sure, sure is None)
            return
        target, depth = following.target, len(reads)
        as_shown = as_shown and depth < len(self._shown) and self._shown[depth][0] == target
        for source in self._choices(target, reads):
            yield from self._after((*reads, (target, source)), (*prints, self._print_of(source)), sure, as_shown)

    def guess(self, depth: int) -> Continuation:
        """How the step went on in the run."""
        return Continuation(False, self._shown[depth][0]) if depth < len(self._shown) else self._ends

    def _choices(self, target: Any, reads: tuple[tuple[Any, StepIndex], ...]) -> Sequence[StepIndex]:
        """What is written by the same steps as a target read before is found as the same step left it."""
        choices = self._options(target)
        writers = self._writers.get(target)
        for other, source in reads:
            if self._writers.get(other) == writers and source in choices and self._options(other) == choices:
                return [source]
        return choices
