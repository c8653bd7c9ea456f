"""The monitors of properties in controlled runs, of programs in any language.

An event changes the *state of its property*, a location: so explorers know that events of one property depend on each
other, and explore their orders. The state has a part for each combination of objects, since events with different ones
for one parameter are in no common word; events that no word has together as events of two threads only read it. An
event that takes place with a step of the model is part of it, another one is a step of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, pairwise
from typing import Any, NamedTuple

from mazurka.program.protocol import Access, Failure, FailureKind, Frame, MatchedEvent
from mazurka.program.runtime.recorded_events import Mark
from mazurka.program.runtime.task import RELEASE_POINTS
from mazurka.properties.measuring import Measure
from mazurka.properties.monitor import Match, Monitor
from mazurka.properties.property import Property, described
from mazurka.properties.reached import Reached
from mazurka.properties.registry import own
from mazurka.trace.conditions_on_objects import MARK
from mazurka.trace.event import Location, Op
from mazurka.trace.patterns import Alternation, Concatenation, Pattern, Stated, endings, letters, protocol
from mazurka.trace.targets import Kind


class Reported(NamedTuple):
    """An event that a monitor has seen: where, in which thread, and at which step."""

    event: str
    thread: str
    objects: tuple[str, ...]
    site: int
    step: int


class Standing(NamedTuple):
    """An event that is the next of a thread."""

    event: str
    thread: str
    objects: tuple[str, ...]
    site: int


class ActiveProperty:
    """A property, in the present run. ``paired`` is held to the words that end with two events at once, in either
    order, and ``standing`` are the next events of threads, by thread."""

    def __init__(self, stated: Stated) -> None:
        self.monitor = Monitor(stated)
        pairs = _in_either_order(stated)
        self.paired = None if pairs is None else Monitor(replace(stated, pattern=pairs))
        self.restart()

    def restart(self) -> None:
        """A run begins."""
        self.monitor.restart()
        if self.paired is not None:
            self.paired.restart()
        self.reported: list[Reported] = []
        self.standing: dict[str, list[Standing]] = {}

    def has_stood(self, thread: str, event: str) -> bool:
        """Whether an event that takes place was the next of its thread; it is no more."""
        several = self.standing.get(thread, [])
        left = [each for each in several if each.event != event]
        if left:
            self.standing[thread] = left
        else:
            self.standing.pop(thread, None)
        return len(left) < len(several)


def _in_either_order(stated: Stated) -> Pattern | None:
    """The words of a pattern that end with two events at once, as words in which one follows the other."""
    if protocol(stated.pattern) is not None:
        return None
    words: list[Pattern] = []
    for start, pair in endings(stated.pattern):
        if pair is not None:
            words += [Concatenation((start, pair.first, pair.second)), Concatenation((start, pair.second, pair.first))]
    return Alternation(tuple(words)) if words else None


def _paired_events(stated: Property) -> frozenset[str]:
    if protocol(stated.pattern) is not None:
        return frozenset()
    pairs = [pair for _, pair in endings(stated.pattern) if pair is not None]
    return frozenset(letter.event for pair in pairs for letter in (pair.first, pair.second))


#: Called in a run with the violated property, its events so far, and those that make up the violation.
Violated = Callable[[Any, Property, list["Reported"], Match], None]


#: Called in a run with the accesses of an event, of which the first is its own, and its place.
Visit = Callable[[Any, Sequence[Access], int], None]


class PropertyMonitors:
    """The monitors of some properties, for one run after another. ``on_violation`` is called when an event completes a
    violation, ``visit`` to pass an event that is a step of its own, or part of one that goes on."""

    def __init__(
        self, properties: Sequence[Property], on_violation: Violated | None = None, visit: Visit | None = None
    ) -> None:
        self._parts = {each.name: _parts_of(each) for each in properties}
        self._named = {each.name: frozenset(letter.event for letter in letters(each.pattern)) for each in properties}
        self._active = {each.name: ActiveProperty(each.stated) for each in properties}
        self.paired = {each.name: _paired_events(each) for each in properties}
        self._measures = {each.name: Measure(each.pattern) for each in own(properties)}
        self._on_violation = on_violation
        self._visit = visit or _visit

    def begin(self) -> None:
        """A run begins."""
        for each in self._active.values():
            each.restart()

    def reached(self) -> dict[str, Reached]:
        """What the run has had of each property so far."""
        return {
            name: active.monitor.reached(self._measures.get(name), [each.site for each in active.reported])
            for name, active in self._active.items()
        }

    def move(self, run: Any) -> None:
        """The running thread has made its operation."""
        for active in self._active.values():
            active.standing.pop(run.current.name, None)

    def stands(self, run: Any, stated: Property, mine: Standing) -> None:
        """An event is the next of the running thread, and may be at once with another one (``||``)."""
        own, *others = self._accesses(run, stated, mine.event, mine.objects)
        run.visit(own.op, own.target, mine.site, None, tuple(others))
        active = self._active[stated.name]
        active.standing.setdefault(mine.thread, []).append(mine)
        for other in [each for several in active.standing.values() for each in several]:
            if other.thread == mine.thread or active.paired is None:
                continue
            after = active.paired.copy()
            after.see(other.thread, other.event, other.objects)
            match = after.see(mine.thread, mine.event, mine.objects, with_last=True)
            if match is not None and self._on_violation is not None:
                step = len(run.log) - 1
                at_once = [Reported(each.event, each.thread, each.objects, each.site, step) for each in (other, mine)]
                self._on_violation(run, stated, [*active.reported, *at_once], match)

    def see(
        self, run: Any, stated: Property, event: str, objects: tuple[str, ...], site: int, mark: Mark | None
    ) -> None:
        """An event takes place in a controlled run, with the step since ``mark`` or as a step of its own."""
        if run.aborting or event not in self._named[stated.name]:
            return
        if not run.solo:
            accesses = self._accesses(run, stated, event, objects)
            if mark is None or not _widen(run, mark, accesses):
                self._visit(run, accesses, site)
        active = self._active[stated.name]
        active.reported.append(Reported(event, run.current.name, objects, site, len(run.log) - 1))
        if not active.has_stood(run.current.name, event) and event in self.paired[stated.name] and not run.solo:
            run.untracked[f"whether {event} of {stated.name} is at once with another event (||)"] = 1
        if active.paired is not None:
            active.paired.see(run.current.name, event, objects)
        match = active.monitor.see(run.current.name, event, objects)
        if active.monitor.is_undecided:
            run.untracked[f"a condition of {stated.name} on objects that are no plain values"] = 1
        if match is not None and self._on_violation is not None and not run.aborting:
            self._on_violation(run, stated, active.reported, match)

    def _accesses(self, run: Any, stated: Property, event: str, objects: tuple[str, ...]) -> list[Access]:
        """The parts of the state of a property that an event reads and changes; if it changes one, the first."""
        found = []
        for op, places in self._parts[stated.name][event]:
            part = ", ".join(objects[place] for place in places)
            target = (Kind.MONITORED.tag, stated.name, part)
            found.append(Access(op, target))
            if run.detail:
                words = f"the state of {stated.name}" + (f" of {part}" if part else "")
                run.names.setdefault(target, words)
        return found


#: The parts of a property's state that an event accesses: the operation, and which of its objects name the part.
_Parts = Sequence[tuple[Op, tuple[int, ...]]]


def _parts_of(stated: Property) -> dict[str, _Parts]:
    """By event of the pattern the parts of the state that it accesses, so that two events of different threads conflict
    if they can be in one word: if they have the same objects for the parameters that they have in common, and the
    pattern names them together. ``check(t1)`` of one thread is in no word with a ``check(t1)`` of another one.

    If the events' sets of parameters include one another, each event accesses the part of its own objects, and reads
    the parts of those that events with fewer parameters have. Otherwise all access the part of the parameters that all
    have. Of two events that can be in one word at least one changes the part: that with fewer parameters."""
    named = {each.event for each in letters(stated.pattern)}
    events = [each for each in stated.events if each.name in named]
    bound = {each.name: stated.stated.bound(each.name) for each in events}
    sets = sorted({frozenset(each) for each in bound.values()}, key=len)
    if any(not one <= other for one, other in pairwise(sets)):
        sets = [frozenset.intersection(*sets)]
    changing = _changing(stated, {name: len(each) for name, each in bound.items()} if len(sets) > 1 else {})
    found: dict[str, _Parts] = {}
    for event in events:
        *fewer, own = [_places_of(event.parameters, each) for each in sets if each <= frozenset(bound[event.name])]
        op = Op.RMW if event.name in changing else Op.READ
        found[event.name] = [(op, own), *((Op.READ, places) for places in fewer)]
    return found


def _changing(stated: Property, sizes: Mapping[str, int]) -> frozenset[str]:
    """Events such that one of them is among any two that can be in one word as events of two threads; of two with
    different numbers of parameters (``sizes``) it is that with fewer. Of a protocol all: which threads it is about
    depends on the events so far."""
    several: dict[str, set[str]] = {}
    for letter in letters(stated.pattern):
        several.setdefault(letter.event, set()).add(letter.thread)
    if protocol(stated.pattern) is not None:
        return frozenset(several)
    pairs = [
        (one, other)
        for one, other in combinations_with_replacement(sorted(several), 2)
        if any(not mine or mine != yours for mine in several[one] for yours in several[other])
    ]
    chosen = {one for one, other in pairs if one == other}
    for one, other in pairs:
        if sizes.get(one) != sizes.get(other):
            chosen.add(min(one, other, key=lambda each: sizes[each]))
    left = [pair for pair in pairs if chosen.isdisjoint(pair)]
    while left:
        counts = Counter(each for pair in left for each in pair)
        chosen.add(max(sorted(counts), key=lambda each: counts[each]))
        left = [pair for pair in left if chosen.isdisjoint(pair)]
    return frozenset(chosen)


def _places_of(parameters: Sequence[str], some: frozenset[str]) -> tuple[int, ...]:
    """The places of some parameters, in alphabetical order: the same for all events that have them."""
    return tuple(parameters.index(each) for each in sorted(some))


def _visit(run: Any, accesses: Sequence[Access], site: int) -> None:
    """An event is a step of its own."""
    own, *others = accesses
    run.visit(own.op, own.target, site, None, tuple(others))


def _widen(run: Any, mark: Mark, accesses: Sequence[Access]) -> bool:
    """Add accesses of the state of a property to the step that the running thread has made since the mark; false if
    there is no such step."""
    log = run.log
    if len(log) <= mark or log[-1][0] != run.current.index:
        return False
    if run.widen(tuple(accesses)):
        return True
    if log[-1][1] is Op.RELEASE:  # in further runs it is a point
        run.need_points(RELEASE_POINTS)
        for access in accesses:
            run.sharing.touch(run.current.index, access.op, access.target, log[-1][3], True)
        log[-1] = (*log[-1][:6], (*log[-1][6], *accesses))
        return True
    return False


# -- violations ------------------------------------------------------------------------------------------------------


def failure_of(
    run: Any,
    stated: Property,
    reported: Sequence[Reported],
    match: Match,
    location: Callable[[int], Location | None],
    frames: tuple[Frame, ...],
) -> Failure:
    """The failure for a violation: its events, with their objects, threads and places."""
    events = tuple(
        MatchedEvent(each.event, _shown(each.objects), each.thread, each.step, location(each.site))
        for each in (reported[event.number] for event in match.events)
    )
    return Failure(
        FailureKind.PROPERTY,
        _words(run, stated, match),
        run.current.name,
        events[-1].location,
        frames=frames,
        step=len(run.log),
        rule=stated.name,
        events=events,
    )


def _shown(objects: Sequence[str]) -> tuple[str, ...]:
    return tuple([each.removeprefix(MARK) for each in objects])


def _words(run: Any, stated: Property, match: Match) -> str:
    """The description of the property, with the objects and threads of the binding in place of their names."""
    words = stated.description or f"the property {stated.name} is violated"
    bound = dict(match.binding.objects)
    bound.update({name: _thread(run, each) for name, each in match.binding.threads.items() if each is not None})
    filled = described(words, bound)
    unnamed = "" if "{" in stated.description else ", ".join(f"{name} = {thing}" for name, thing in bound.items())
    return f"{filled} ({unnamed})" if unnamed else filled


def _thread(run: Any, name: Any) -> str:
    task = run.by_name.get(name)
    return str(task.label) if task is not None and task.label else "main" if name == "0" else f"thread {name}"
