"""Iterative context bounding: every interleaving, those with the fewest preemptions first.

Definition (Musuvathi, Qadeer: Iterative context bounding for systematic testing of multithreaded programs, PLDI 2007).
A switch from one thread to another is a *preemption* if the first could have gone on: not if it had to wait, had
ended, or sleeps. Most bugs need few preemptions, and there are only polynomially many orders with a given number. So
this strategy executes first all orders with none, then all with one, and so on: when it is stopped, it has covered all
orders with up to some number of preemptions, which it reports.

Invariants: seeds differ from a finished run in their last entry only, as those of dfs do, so no interleaving is
executed twice; the runs of a level come before those of the next. After its seed a run continues with the running
thread, so it adds no preemption, except where the program itself resumes a thread.

Cost: as many runs as there are interleavings, unless it is stopped. Waiting seeds are kept in memory, each as a place
in a schedule.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from mazurka.explore.coverage import Bounded, Coverage
from mazurka.explore.strategy import Estimate, JournalRecord, Seed, Strategy
from mazurka.program.protocol import Plan, Run, Step
from mazurka.trace.event import Op
from mazurka.trace.targets import Target

T = TypeVar("T")


class SwitchPoint(NamedTuple):
    """A point of a run: the enabled threads, and the one that a switch would preempt ("": none)."""

    enabled: tuple[str, ...]
    staying: str

    def cost(self, thread: str) -> int:
        """The number of preemptions, 0 or 1, if this thread moves."""
        return int(self.staying not in ("", thread))


def turns(run: Run, sections: Mapping[int, Target] | None = None) -> list[SwitchPoint]:
    """The points of a run, in order. ``sections`` are the points with which sections begin that are single events, and
    their locks: while one thread has been preempted before a section, another one that stands before a section of the
    same lock stands for one that waits for the lock, and is not preempted."""
    sections = sections or {}
    enabled_at: dict[int, tuple[int, ...]] = {choice.point: choice.enabled for choice in run.choices}
    steps = [step for step in run.log if step.point]
    preempted: dict[int, Target | None] = {}  # by thread that was preempted before a section: its lock
    found = []
    for number, (step, following) in enumerate(zip(steps, _following(steps), strict=True)):
        enabled = enabled_at.get(number, (step.task,))
        before = steps[number - 1].task if number else 0
        stays = before in enabled and (following is None or steps[following].op is not Op.SLEEP)
        # What a thread stands before at the end of a run is not known: it may be a section of any lock.
        may_stand = bool(sections) and (following is None or following in sections)
        lock = None if following is None else sections.get(following)
        if stays and may_stand and any(lock is None or each is None or each == lock for each in preempted.values()):
            stays = False
        preempted.pop(step.task, None)
        if number in sections:  # then no other thread is in the midst of one
            preempted = {task: each for task, each in preempted.items() if each != sections[number]}
        if stays and may_stand and step.task != before:
            preempted[before] = lock
        found.append(SwitchPoint(tuple([run.tasks[task] for task in enabled]), run.tasks[before] if stays else ""))
    return found


def _following(steps: Sequence[Step]) -> list[int | None]:
    """For each point: the next one, from it on, of the thread that has moved before it."""
    upcoming: dict[int, int] = {}
    found: list[int | None] = []
    for number in range(len(steps) - 1, -1, -1):
        upcoming[steps[number].task] = number
        found.append(upcoming.get(steps[number - 1].task if number else 0))
    found.reverse()
    return found


#: The reason why a search by partial orders is no proof if a timeout fired.
EXPIRED: Final = "waiting times ran out, which does not follow from the order of conflicting steps"


class Levels(Generic[T]):
    """The queued seeds, by number of preemptions; the seed of the lowest level that was added last comes first."""

    def __init__(self) -> None:
        self.waiting: list[dict[int, T]] = []
        self.taken: dict[int, tuple[int, T]] = {}  # by number: level and seed
        self.finished: list[int] = []  # by level: how many seeds have been executed
        self.next_number = 0

    def add(self, level: int, wanted: T) -> None:
        """Queue a seed that costs ``level`` preemptions, under the next number."""
        while len(self.waiting) <= level:
            self.waiting.append({})
            self.finished.append(0)
        self.waiting[level][self.next_number] = wanted
        self.next_number += 1

    def take(self) -> tuple[int, T] | None:
        """The number of the next seed to run and the seed, which counts as taken; None if nothing is queued."""
        for level, waiting in enumerate(self.waiting):
            if waiting:
                number, wanted = waiting.popitem()
                self.taken[number] = (level, wanted)
                return number, wanted
        return None

    def finish(self, number: int) -> tuple[int, T]:
        """The level and the deviation of a seed that has been executed (perhaps by a search before this one)."""
        if number in self.taken:
            level, wanted = self.taken.pop(number)
        else:
            level = next(level for level, waiting in enumerate(self.waiting) if number in waiting)
            wanted = self.waiting[level].pop(number)
        self.finished[level] += 1
        return level, wanted

    def __len__(self) -> int:
        return sum(map(len, self.waiting))

    def bound(self) -> int | None:
        """The number of preemptions up to which all seeds have been executed; None: no seeds are left."""
        open_levels = [level for level, waiting in enumerate(self.waiting) if waiting]
        open_levels += [level for level, _ in self.taken.values()]
        return min(open_levels) - 1 if open_levels else None


class _Deviation(NamedTuple):
    """A seed: the order ``schedule`` up to ``point``, where ``thread`` moves ("": the first run of the search)."""

    schedule: tuple[str, ...]
    point: int
    thread: str

    def prefix(self) -> tuple[str, ...]:
        return (*self.schedule[: self.point], self.thread) if self.thread else ()


class Wanted(Protocol):
    """A seed before it is planned."""

    def prefix(self) -> tuple[str, ...]:
        """The threads that move first, in order; only the last one differs from a finished run."""
        ...


W = TypeVar("W", bound=Wanted)


class SearchByPreemptions(Strategy, Generic[W]):
    """The common part of strategies that execute the seeds with the fewest preemptions first."""

    exhaustive = True
    relates = False  # as in Plan

    def __init__(self, first: W) -> None:
        self.start(first)
        self.done = 0
        self.unrepeatable = 0  # prefixes of earlier runs that could not be followed again
        self.cut = False  # whether a run was cut short
        self.journal: list[JournalRecord] = []

    def start(self, first: W) -> None:
        """Begin with this seed, without any others."""
        self.levels: Levels[W] = Levels()
        self.levels.add(0, first)

    def next_seed(self) -> Seed | None:
        taken = self.levels.take()
        return None if taken is None else Seed(taken[0], Plan(taken[1].prefix(), relates=self.relates))

    def has_diverged(self, seed: Seed, run: Run) -> bool:
        """Whether the run could not follow its seed; this is recorded, and that it was cut."""
        if run.truncated and not self.cut:
            self.cut = True
            self.journal.append(("cut",))
        if run.divergence is None:
            return False
        lost = int(not run.divergence.harmless)
        self.skip(seed.number, lost)
        self.journal.append(("astray", seed.number, lost))
        return True

    def skip(self, number: int, lost: int) -> None:
        """Finish a seed that could not be followed; ``lost``: 1 if it was the prefix of an earlier run, 0 if not."""
        self.levels.finish(number)
        self.unrepeatable += lost

    def estimate(self) -> Estimate:
        unfinished = len(self.levels) or self.levels.taken
        return Estimate(self.done, len(self.levels), None if unfinished else float(self.done))

    def coverage(self) -> Coverage:
        """The bound, unless the search is in doubt, or runs were cut short."""
        bound = self.levels.bound()
        if self.cut or self.incompleteness_reason():
            return Coverage()
        if bound is None:
            bound = len(self.levels.finished) - 1
        return Coverage(Bounded(bound, sum(self.levels.finished[: bound + 1])))

    def incompleteness_reason(self) -> str:
        if not self.unrepeatable:
            return ""
        return f"the program did not repeat itself: {self.unrepeatable} schedules could not be followed again"

    def records(self) -> list[JournalRecord]:
        records, self.journal = self.journal, []
        return records


class ContextBounding(SearchByPreemptions[_Deviation]):
    """The ``icb`` strategy."""

    name = "icb"

    def __init__(self) -> None:
        super().__init__(_Deviation((), 0, ""))

    def observe(self, seed: Seed, run: Run) -> None:
        if self.has_diverged(seed, run):
            return
        schedule = run.schedule()
        level = self.levels.taken[seed.number][0]
        places, threads = array("q"), []
        start = len(seed.plan.prefix)
        for point, turn in enumerate(turns(run)[start:], start):
            for thread in turn.enabled:
                if thread != schedule[point]:
                    places.extend((level + turn.cost(thread), point))
                    threads.append(thread)
            level += turn.cost(schedule[point])
        self.journal.append(("ran", seed.number, " ".join(schedule), places.tobytes(), " ".join(threads)))
        self._learn(seed.number, schedule, places, threads)

    def _learn(self, number: int, schedule: tuple[str, ...], places: array[int], threads: list[str]) -> None:
        """Enter the deviations from a run; ``places`` alternates levels and points."""
        self.levels.finish(number)
        self.done += 1
        for level, point, thread in zip(places[::2], places[1::2], threads, strict=True):
            self.levels.add(level, _Deviation(schedule, point, thread))

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            match record:
                case ("ran", number, schedule, packed, threads):
                    places = array("q")
                    places.frombytes(packed)
                    self._learn(number, tuple(schedule.split()), places, threads.split())
                case ("astray", number, lost):
                    self.skip(number, lost)
                case ("cut",):
                    self.cut = True
