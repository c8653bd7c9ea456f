"""Objects of a search: which objects of two runs are one (see forms.py).

Each run numbers its objects as threads come to touch them. But the state of a thread, and the writes that its step has
read from so far, determine the object that the step touches next: this is a *touch*. Objects of two runs are one if
they have a touch in common. If a run shows that two objects are one, they are united.

Objects that no run has shown together may still be one, since a run need not show all touches of an object. So if a
form of a step names an object that a run does not touch, the run takes it for none of its own objects: a *guess*, where
the step and an access of the run conflict if they are one, and may be in one run. A run that shows both objects
confirms it; a guess that none has confirmed is a doubt at the end.

Invariant: no two objects of a run are one. Accesses that are not in the order of their dependences may break it; the
search then ends with a doubt (``contradicted``).

Cost: about 100 bytes for a touch and for a target, and 8 for each object of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from mazurka.causal.history import INITIAL, INITIAL_PRINT, History, fingerprint
from mazurka.trace.targets import OBJECTS, Kind, Target, of_kinds

#: Distinguishes touches by writes from prints of steps, which are hashes of a print and sources.
_WRITES: Final = 0x3217E

_is_part: Final = of_kinds(Kind.ATTRIBUTE, Kind.ITEM, Kind.CELL, Kind.STRUCTURE, Kind.VALUES, Kind.OBJECT, Kind.INVOKED)


class ObjectName(NamedTuple):
    """An object of a search, in targets of forms; or if it is not ``itself``, its dictionary."""

    number: int
    itself: bool


def is_of_object(target: Any) -> bool:
    """Whether a target is a part of an object that the run has numbered, or of one that it does not touch."""
    return _is_part(target) and len(target) > 1 and (type(target[1]) is ObjectName or _is_number(target[1]))


def _is_number(part: Any) -> bool:
    return type(part) is int and abs(part) >= OBJECTS


def _translated(target: Target, change: Callable[[Any], Any]) -> Target:
    """A target with its objects, and those in its key, changed. Numbers of objects in keys follow a word."""
    return (target[0], change(target[1]), *[_key(part, change) for part in target[2:]])


def _key(key: Any, change: Callable[[Any], Any]) -> Any:
    if type(key) is not tuple or not key:
        return key
    begins = type(key[0]) is str
    return tuple(
        [
            change(each) if type(each) is ObjectName or (begins and _is_number(each)) else _key(each, change)
            for each in key
        ]
    )


def _objects_in(target: Target) -> list[Any]:
    """The objects in a target, in order."""
    found: list[Any] = []
    _translated(target, found.append)
    return found


def is_absent(target: Target) -> bool:
    """Whether a target is of an object that the run does not touch, or its key has one."""
    return _is_part(target) and any(map(_has_name, target))


def _has_name(key: Any) -> bool:
    return type(key) is ObjectName or (type(key) is tuple and any(map(_has_name, key)))


def without_objects(target: Target) -> Target:
    """A target without the objects in it: what those of different objects have in common."""
    return _translated(target, lambda each: each.itself if type(each) is ObjectName else each > 0)


class ObjectsOfRun:
    """The objects of one run."""

    def __init__(self, objects: Objects, ours: dict[int, int]) -> None:
        self._objects = objects
        self._ours = ours  # by number in the run
        self._learn()

    def _learn(self) -> None:
        """Learn the present names of objects."""
        self._united = self._objects.united
        self._theirs = {self._objects.find(each): number for number, each in self._ours.items()}
        self._names: dict[Target, Target] = {}
        self._targets: dict[Target, Target] = {}  # by name

    def named(self, target: Target) -> Target:
        """A target of the run, with the objects' names in the search."""
        if self._united != self._objects.united:
            self._learn()
        found = self._names.get(target)
        if found is None:
            found = self._names[target] = _translated(target, self._name_of) if is_of_object(target) else target
        return found

    def _name_of(self, thing: Any) -> ObjectName:
        number, itself = thing if type(thing) is ObjectName else (self._ours[abs(thing)], thing > 0)
        return ObjectName(self._objects.find(number), itself)

    def here(self, target: Target) -> Target:
        """The target of the run that has this name; objects that the run does not touch keep theirs."""
        if self._united != self._objects.united:
            self._learn()
        found = self._targets.get(target)
        if found is None:
            found = self._targets[target] = _translated(target, self._here) if is_absent(target) else target
        return found

    def _here(self, name: ObjectName) -> Any:
        number = self._theirs.get(self._objects.find(name.number))
        return name if number is None else number if name.itself else -number

    def guesses(self, target: Target, other: Target) -> list[tuple[int, int]]:
        """The objects that differ between two targets, which differ in nothing else; none if the targets are known to
        be different."""
        if not (is_absent(target) or is_absent(other)):
            return []
        pairs = zip(_objects_in(self.named(target)), _objects_in(self.named(other)), strict=True)
        found = [(one.number, two.number) for one, two in pairs if one != two]
        return [] if any(self._objects.have_met(*pair) for pair in found) else found


class Objects:
    """The objects of all runs of a search."""

    def __init__(self) -> None:
        self.contradicted = False
        self.united = 0  # how many have turned out to be another one
        self.guesses: set[tuple[int, int]] = set()  # pairs taken for two objects, which no run has shown to be two
        self._touched: dict[int, int] = {}  # by touch: the object
        self._numbers: dict[Target, tuple[int, ...]] = {}  # by target: the objects in it, as runs number them
        self._other: list[int] = []  # by object: itself, or the other one that it has turned out to be
        self._runs: dict[tuple[int, ...], None] = {}  # the objects of each run, ascending
        self._met: list[list[tuple[int, ...]]] = []  # by object: those of the runs that touched it

    def of(self, history: History) -> ObjectsOfRun:
        """Recognise the objects of a run, and learn its touches."""
        ours: dict[int, int] = {}
        united, prints, numbers_in = self.united, history.prints, self._numbers_in
        for step, (reads, writes) in enumerate(zip(history.reads, history.writes, strict=True)):
            sources: list[int] = []
            for target, source in reads:
                if numbers := numbers_in(target):
                    self._touch(fingerprint(history.states[step], sources), numbers, ours)
                sources.append(INITIAL_PRINT if source == INITIAL else prints[source])
            for place, target in enumerate(writes):
                if numbers := numbers_in(target):
                    self._touch(hash((_WRITES, prints[step], place)), numbers, ours)
        ours = {number: self.find(each) for number, each in ours.items()}
        together = tuple(sorted(set(ours.values())))
        self.contradicted |= len(together) < len(ours)
        if self.united != united:
            self._rename()
        self._meet(together)
        return ObjectsOfRun(self, ours)

    def _numbers_in(self, target: Target) -> tuple[int, ...]:
        """The numbers of the objects in a target; none, unless it is a part of an object."""
        found = self._numbers.get(target)
        if found is None:
            found = self._numbers[target] = tuple(map(abs, _objects_in(target))) if is_of_object(target) else ()
        return found

    def _touch(self, touch: int, numbers: tuple[int, ...], ours: dict[int, int]) -> None:
        """Learn a touch of objects with these numbers in the run, which are ``ours``."""
        touched = self._touched
        for place, number in enumerate(numbers):
            key = hash((touch, place))
            here, known = ours.get(number), touched.get(key)
            if here is None:
                here = self._new() if known is None else self.find(known)
            elif known is not None and known != here:
                here = self._unite(here, known)
            ours[number] = touched[key] = here

    def renamed(self, target: Target) -> Target:
        """A target by the names that its objects have now."""
        if not is_of_object(target):
            return target
        return _translated(target, lambda name: ObjectName(self.find(name.number), name.itself))

    def find(self, thing: int) -> int:
        """The object that this one has turned out to be."""
        while self._other[thing] != thing:
            thing = self._other[thing]
        return thing

    def have_met(self, one: int, other: int) -> bool:
        """Whether a run has shown two objects to be different."""
        if len(self._met[one]) > len(self._met[other]):
            one, other = other, one
        return one != other and any(other in together for together in self._met[one])

    def _new(self) -> int:
        self._other.append(len(self._other))
        self._met.append([])
        return len(self._met) - 1

    def _unite(self, one: int, other: int) -> int:
        one, other = self.find(one), self.find(other)
        if one != other:
            self.united += 1
            self._other[other] = one
        return one

    def _rename(self) -> None:
        """Note what is known about objects of which some have turned out to be one."""
        runs, self._runs = self._runs, {}
        self._met = [[] for _ in self._met]
        for together in runs:
            self._meet(tuple(sorted(set(map(self.find, together)))))
        self.guesses = {(self.find(one), self.find(other)) for one, other in self.guesses}

    def _meet(self, together: tuple[int, ...]) -> None:
        """Note that a run has shown these objects."""
        if together in self._runs:
            return
        self._runs[together] = None
        for each in together:
            self._met[each].append(together)
        if self.guesses:
            self.guesses = {
                (one, other)
                for one, other in self.guesses
                if one == other or one not in together or other not in together
            }
