"""The forms of steps: the locations that a step accesses, as far as runs have shown it, by the writes that it reads
from.

A step of C code may read one location, and depending on the value read another one, or write (mcr.py). The *form* of a
step, the targets that it reads and writes, is determined by the state of its thread and the writes that it reads from.
The forms are a tree for each state: after a prefix of sources, the step either reads a certain target next, or it reads
no more and writes certain targets. So for a step in a hypothetical place the tree has its accesses, or the prefix of
sources after which they are not known. In the latter case a *probe* may be executed: a run in which the step has these
reads.

Invariant: each prefix has one continuation. Accesses that are not in the order of their dependences break it; the
search then ends with a doubt (``contradicted``).

Cost: a few dictionary look-ups for a step with reads; about 200 bytes for each such step that is new.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from mazurka.causal.history import INITIAL, INITIAL_PRINT, History, fingerprint
from mazurka.explore.reads_from.objects import Objects, ObjectsOfRun
from mazurka.explore.reads_from.tree import Branch
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.ids import SiteNumber, StepIndex
from mazurka.trace.targets import Target, wholes_of


@dataclass(frozen=True, slots=True)
class Continuation:
    """The continuation of a step: it reads ``target`` next; or, if ``ends``, no more, and writes ``writes``."""

    ends: bool
    target: Any = None
    writes: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A run that guessed that a step continues as ``expected`` after ``key`` has further alternatives if it continues
    otherwise.

    This holds under the conditions ``given``, pairs (key, continuation) of another step, or this step before.
    """

    key: int
    expected: Continuation
    given: tuple[tuple[int, Continuation], ...] = ()


class StepForms:
    """The forms of steps known so far, and the runs that wait for unknown ones."""

    def __init__(self) -> None:
        self.objects = Objects()
        self.known: dict[int, Continuation] = {}
        self.several: set[SiteNumber] = set()  # sites whose steps may have several accesses
        self.single: set[SiteNumber] = set()  # sites whose steps have had one, a read, or have looked up an item
        self.possible: dict[int, bool] = {}  # by key: whether a step can have these reads, if that has been asked
        self.contradicted = False
        self.waiting: dict[int, list[tuple[Branch, Unresolved]]] = {}  # by key
        self.probes: deque[tuple[int, tuple[str, ...]]] = deque()  # keys, with prefixes of runs that show them
        self.open: Counter[Branch] = Counter()  # how many continuations a run waits for
        self.settled: list[Branch] = []  # runs that wait no more, and have offered all
        self._shared: dict[Continuation, Continuation] = {}

    def clear(self) -> None:
        """Forget the forms and the waiting runs, as the search begins again."""
        self.waiting.clear()
        self.open.clear()
        self.settled.clear()

    # -- learning -----------------------------------------------------------------------------------------------------

    def objects_of(self, history: History) -> ObjectsOfRun:
        """The objects of a run, by whose names forms name targets."""
        united = self.objects.united
        found = self.objects.of(history)
        self.contradicted |= self.objects.contradicted
        if self.objects.united != united:
            self._rename()
        return found

    def _rename(self) -> None:
        """Name objects anew, of which some have turned out to be one."""
        shared, self._shared = self._shared, {}
        renamed = {id(each): self._renamed(each) for each in shared}  # many keys have the same continuation
        self.known = {key: renamed[id(each)] for key, each in self.known.items()}
        self.possible.clear()
        for waiting in self.waiting.values():
            waiting[:] = [
                (
                    branch,
                    Unresolved(
                        each.key,
                        self._renamed(each.expected),
                        tuple([(key, self._renamed(given)) for key, given in each.given]),
                    ),
                )
                for branch, each in waiting
            ]

    def _renamed(self, continuation: Continuation) -> Continuation:
        renamed = self.objects.renamed
        target = None if continuation.ends else renamed(continuation.target)
        found = Continuation(continuation.ends, target, tuple(map(renamed, continuation.writes)))
        return self._shared.setdefault(found, found)

    def sort(self, history: History, sites: Sequence[SiteNumber], data_steps: Iterable[StepIndex]) -> bool:
        """Learn the sites whose steps have several accesses; returns whether one was thought to have a single
        access."""
        late = False
        for step in data_steps:
            site = sites[step]
            if site in self.several:
                continue
            if not history.writes[step] and _is_single(history.reads[step]):
                self.single.add(site)
                continue
            self.several.add(site)
            late |= site in self.single
            self.single.discard(site)
        return late

    def learn(self, history: History, steps: Iterable[StepIndex], objects: ObjectsOfRun) -> list[Branch]:
        """Learn the forms of steps; returns the runs that now have further alternatives."""
        found: list[Branch] = []
        prints, named = history.prints, objects.named
        for step in steps:
            state, reads = history.states[step], history.reads[step]
            sources: list[int] = []
            for target, source in reads:
                self._add(fingerprint(state, sources), False, named(target), (), found)
                sources.append(INITIAL_PRINT if source == INITIAL else prints[source])
            self._add(prints[step], True, None, tuple(map(named, history.writes[step])), found)
        return found

    def _add(self, key: int, ends: bool, target: Any, writes: tuple[Any, ...], found: list[Branch]) -> None:
        present = self.known.get(key)
        if present is not None:
            self.contradicted |= present.ends != ends or present.target != target or present.writes != writes
            return
        continuation = Continuation(ends, target, writes)
        continuation = self._shared.setdefault(continuation, continuation)
        self.known[key] = continuation
        for branch, unresolved in self.waiting.pop(key, ()):
            self._let_go(branch)
            if unresolved.expected != continuation:
                found.append(branch)

    # -- waiting ------------------------------------------------------------------------------------------------------

    def wait(self, branch: Branch, unresolved: Unresolved) -> None:
        """Let a run wait for a step's continuation."""
        self.waiting.setdefault(unresolved.key, []).append((branch, unresolved))
        self.open[branch] += 1

    def is_awaited(self, key: int) -> bool:
        """Whether runs wait for this continuation, and no run has shown that their conditions do not hold."""
        return any(not self._is_void(each) for _, each in self.waiting.get(key, ()))

    def next_probe(self) -> tuple[int, tuple[str, ...]] | None:
        """A key that runs wait for, and the prefix of a run that shows its continuation.

        Runs stop waiting if their conditions do not hold: a step continued otherwise before the key.
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
    """The reads of a step, (target, source) of each access, and the prints of the sources; and its ``writes`` after
    them.

    Only the first ``sure`` reads are known to be those of the step. Unless the reading is ``exact``, the others are a
    guess, taken from the run.
    """

    reads: tuple[tuple[Any, StepIndex], ...]
    prints: tuple[int, ...]
    writes: tuple[Any, ...]
    sure: int
    exact: bool


#: An exact reading without reads.
NOTHING: Final = Reading((), (), (), 0, True)


def chain(state: int, reading: Reading, named: Callable[[Target], Target]) -> Iterator[tuple[int, Continuation]]:
    """The keys of a reading's unknown part, each with the guessed continuation of the step; ``named`` are the names of
    targets in forms."""
    reads, prints = reading.reads, reading.prints
    for depth in range(reading.sure, len(reads)):
        yield fingerprint(state, prints[:depth]), Continuation(False, named(reads[depth][0]))
    if not reading.exact:
        yield fingerprint(state, prints), Continuation(True, None, tuple(map(named, reading.writes)))


def _is_single(reads: Sequence[tuple[Target, StepIndex]]) -> bool:
    """Whether a step reads one location, or an item after the structure of its container. The other form of such a step
    is the beginning of this one, if there is no such item, so that neither prevents the other's reads."""
    item = reads[-1][0]
    return all(target == item or target in wholes_of(item) for target, _ in reads)


def _as_it_is(target: Target) -> Target:
    return target


#: The first reads of a reading, their prints, how many of them are known for sure (None: all), and whether they are of
#: the targets that the step reads in the run.
_Beginning = tuple[tuple[tuple[Any, StepIndex], ...], tuple[int, ...], int | None, bool]


class Readings:
    """All readings of a step of a run, if it may read each target from the sources that ``options`` gives."""

    def __init__(
        self,
        forms: StepForms,
        history: History,
        step: StepIndex,
        options: Callable[[Any], Sequence[StepIndex]],
        print_of: Callable[[StepIndex], int],
        here: Callable[[Target], Target],
    ) -> None:
        self._known = forms.known
        self._here = here  # the target of the run that forms name so
        self._state = history.states[step]
        self._shown = history.reads[step]
        self._ends = Continuation(True, None, history.writes[step])
        self._writers = history.writers
        self._options = options
        self._print_of = print_of

    def all(self) -> Iterator[Reading]:
        """The readings one by one, sorted by the sources of the first read, then of the second ..."""
        start: _Beginning = (), (), None, True
        waiting = [start]  # a step may read thousands of targets: too many for functions that call themselves
        while waiting:
            reads, prints, sure, as_shown = waiting.pop()
            following = self._known.get(fingerprint(self._state, prints)) if sure is None else None
            if following is None:
                sure = len(reads) if sure is None else sure
                following = self.guess(len(reads)) if as_shown else Continuation(True)
            here = self._here if sure is None else _as_it_is
            if following.ends:
                writes = tuple(map(here, following.writes))
                yield Reading(reads, prints, writes, len(reads) if sure is None else sure, sure is None)
                continue
            target, depth = here(following.target), len(reads)
            as_shown = as_shown and depth < len(self._shown) and self._shown[depth][0] == target
            waiting += [
                ((*reads, (target, source)), (*prints, self._print_of(source)), sure, as_shown)
                for source in reversed(self._choices(target, reads))
            ]

    def guess(self, depth: int) -> Continuation:
        """The continuation of the step in the run after ``depth`` reads."""
        return Continuation(False, self._shown[depth][0]) if depth < len(self._shown) else self._ends

    def _choices(self, target: Any, reads: tuple[tuple[Any, StepIndex], ...]) -> Sequence[StepIndex]:
        """The sources of a target. If the same steps write it as a target read before, it has the same source."""
        choices = self._options(target)
        writers = self._writers.get(target)
        for other, source in reads:
            if self._writers.get(other) == writers and source in choices and self._options(other) == choices:
                return [source]
        return choices
