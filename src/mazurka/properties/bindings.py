"""The bindings of a property to objects, threads and regions of an execution (patent, "Property Encoding", 1 and 3).

Which bindings there are follows from the property events. Parameters that events bind together are bound to objects
that events of the execution have bound together, directly or by way of others: for ``create(c, i)``, ``update(c)`` and
``next(i)`` an iterator goes with its collection. Parameters that no event relates get all combinations, as in the
patent. An event with a condition on a parameter does not bind it: it is named under every binding for which the
condition holds.

A thread attribute or a region that a match may do without is also bound to none: then its letters name no event. In a
protocol (``!`` at the top) an attribute is only bound to none if all threads with events for it are bound to others.

Cost: linear in the events and bindings, but for products of unrelated parameters, threads and regions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import NamedTuple

from mazurka.properties.automaton import Symbol
from mazurka.trace.conditions_on_objects import UndecidedCondition, agree, is_condition
from mazurka.trace.patterns import (
    Alternation,
    Complement,
    Concatenation,
    Intersection,
    Letter,
    Parallel,
    Pattern,
    Repetition,
    Stated,
    letters,
    protocol,
)


class Occurrence(NamedTuple):
    """A property event of an execution. Occurrences are numbered in the order of the execution."""

    number: int
    thread: Hashable
    event: str
    objects: tuple[str, ...]


class Region(NamedTuple):
    """An instance of a region: the numbers of the events that begin and end it; -1: it has not ended."""

    begin: int
    end: int


class Binding(NamedTuple):
    """By parameter its object; by attribute its thread; by region its instance, None for no thread or instance."""

    objects: Mapping[str, str]
    threads: Mapping[str, Hashable | None]
    regions: Mapping[str, Region | None]


class NamedOccurrence(NamedTuple):
    """An event that a binding names, and the letters that name it."""

    occurrence: Occurrence
    symbol: Symbol


class Bindings:
    """The bindings of a property to the occurrences that have been added."""

    def __init__(self, stated: Stated) -> None:
        self.stated = stated
        self._is_protocol = protocol(stated.pattern) is not None
        self._letters: dict[str, list[Letter]] = {}
        for letter in dict.fromkeys(letters(stated.pattern)):
            self._letters.setdefault(letter.event, []).append(letter)
        all_letters = [each for several in self._letters.values() for each in several]
        self._attributes = list(dict.fromkeys(each.thread for each in all_letters if each.thread))
        self._regions = list(dict.fromkeys(r for each in all_letters for r in (*each.begins, *each.ends)))
        self._needed = _needed(stated.pattern)
        self._parameters = list(dict.fromkeys(p for event in self._letters for p in stated.events[event]))
        self._groups = _related(self._parameters, [stated.bound(event) for event in self._letters])
        self._conditioned: list[Occurrence] = []  # those with conditions in the place of objects
        self.undecided = False  # whether a condition could not be decided
        self._of: dict[str, dict[tuple[str, ...], list[Occurrence]]] = {event: {} for event in self._letters}

    def add(self, occurrence: Occurrence) -> bool:
        """Take in a further occurrence; returns whether the pattern mentions its event."""
        of = self._of.get(occurrence.event)
        if of is not None:
            if any(map(is_condition, occurrence.objects)):
                self._conditioned.append(occurrence)
            of.setdefault(occurrence.objects, []).append(occurrence)
        return of is not None

    def bindings(self, with_: Occurrence | None = None) -> Iterator[tuple[Binding, Sequence[NamedOccurrence]]]:
        """The bindings under which a word of the pattern may occur, each with its word; ``with_``: only those that name
        this occurrence."""
        fixed = {} if with_ is None else self._fact(with_.event, with_.objects)
        for objects in filter(self.stated.are_distinct, self._objects(fixed)):
            present = self._present(objects)
            happened = {each.event for each in present}
            if not all(letter.event in happened for letter in self._needed):
                continue
            for threads in self._threads(present):
                for regions in self._instances(present, threads):
                    binding = Binding(objects, threads, regions)
                    named = ((each, self.symbol(binding, each)) for each in present)
                    word = [NamedOccurrence(each, symbol) for each, symbol in named if symbol]
                    if with_ is None or any(named.occurrence == with_ for named in word):
                        yield binding, word

    def symbol(self, binding: Binding, occurrence: Occurrence) -> Symbol:
        """The letters that name an occurrence whose objects agree with the binding; none if it is left out."""
        return frozenset(
            letter
            for letter in self._letters[occurrence.event]
            if (not letter.thread or binding.threads[letter.thread] == occurrence.thread)
            and all(_begins(binding.regions[r], occurrence) for r in letter.begins)
            and all(_ends(binding.regions[r], occurrence) for r in letter.ends)
        )

    # -- parts of bindings --------------------------------------------------------------------------------------------

    def _objects(self, fixed: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """The objects of the parameters, as far as they are not fixed."""
        for parts in product(*(self._together(group, fixed) for group in self._groups)):
            yield reduce(lambda all_, part: all_ | part, parts, dict[str, str]())

    def _together(self, group: frozenset[str], fixed: Mapping[str, str]) -> list[dict[str, str]]:
        """The objects of a group of parameters that events relate."""
        given = {p: fixed[p] for p in self._parameters if p in group and p in fixed}
        if len(given) == len(group):
            return [given]
        facts: dict[tuple[str, str], list[dict[str, str]]] = {}
        known: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        for event, of in self._of.items():
            if group.issuperset(self.stated.bound(event)):
                for objects in of:
                    fact = self._fact(event, objects)
                    if fact and all(given.get(p, x) == x for p, x in fact.items()) and _key(fact) not in known:
                        known[_key(fact)] = fact
                        for pair in fact.items():
                            facts.setdefault(pair, []).append(fact)
        stack = [given] if given else list(known.values())
        seen = {_key(each) for each in stack}
        found = []
        while stack:
            partial = stack.pop()
            if len(partial) == len(group):
                found.append({p: partial[p] for p in self._parameters if p in group})
                continue
            for pair in partial.items():
                for fact in facts.get(pair, ()):
                    if all(partial.get(p, x) == x for p, x in fact.items()):
                        joined = partial | fact
                        if (key := _key(joined)) not in seen:
                            seen.add(key)
                            stack.append(joined)
        return sorted(found, key=_key)

    def _present(self, objects: Mapping[str, str]) -> list[Occurrence]:
        """The occurrences whose objects agree, in their order."""
        own = (of.get(tuple([objects[p] for p in self.stated.events[event]]), ()) for event, of in self._of.items())
        conditioned = [each for each in self._conditioned if self._agrees(each, objects)]
        return sorted([*(each for several in own for each in several), *conditioned])

    def _fact(self, event: str, objects: Sequence[str]) -> dict[str, str]:
        """The objects that an event has bound to parameters."""
        pairs = zip(self.stated.events[event], objects, strict=True)
        return {parameter: each for parameter, each in pairs if not is_condition(each)}

    def _agrees(self, each: Occurrence, objects: Mapping[str, str]) -> bool:
        try:
            return agree(self.stated.events[each.event], each.objects, objects)
        except UndecidedCondition:
            self.undecided = True
            return False

    def _threads(self, present: Sequence[Occurrence]) -> Iterator[dict[str, Hashable | None]]:
        """Threads for the attributes, different ones for different attributes."""
        choices: list[list[Hashable | None]] = []
        for attribute in self._attributes:
            events = {each.event for several in self._letters.values() for each in several if each.thread == attribute}
            own: list[Hashable | None] = list(dict.fromkeys(each.thread for each in present if each.event in events))
            if all(letter.thread != attribute for letter in self._needed):
                own.append(None)
            choices.append(own)
        for chosen in product(*choices):
            bound = [thread for thread in chosen if thread is not None]
            free = [own for own, thread in zip(choices, chosen, strict=True) if thread is None]
            if len(set(bound)) == len(bound) and not (self._is_protocol and any({*own} - {*chosen} for own in free)):
                yield dict(zip(self._attributes, chosen, strict=True))

    def _instances(
        self, present: Sequence[Occurrence], threads: Mapping[str, Hashable | None]
    ) -> Iterator[dict[str, Region | None]]:
        """Instances for the regions."""
        choices: list[list[Region | None]] = []
        for region in self._regions:
            own: list[Region | None] = list(self._instances_of(region, present, threads))
            if not any(region in letter.begins or region in letter.ends for letter in self._needed):
                own.append(None)
            choices.append(own)
        for chosen in product(*choices):
            yield dict(zip(self._regions, chosen, strict=True))

    def _instances_of(
        self, region: str, present: Sequence[Occurrence], threads: Mapping[str, Hashable | None]
    ) -> Iterator[Region]:
        """The instances of a region: each end belongs to the latest begin of its thread that has no end yet."""
        begins = [each for several in self._letters.values() for each in several if region in each.begins]
        ends = [each for several in self._letters.values() for each in several if region in each.ends]
        open_: dict[Hashable, list[int]] = {}
        found: dict[int, int] = {}
        for each in present:
            if _is_by(begins, each, threads):
                open_.setdefault(each.thread, []).append(each.number)
                found[each.number] = -1
            elif _is_by(ends, each, threads) and open_.get(each.thread):
                found[open_[each.thread].pop()] = each.number
        return (Region(*each) for each in found.items())


def _key(objects: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(objects.items()))


def _is_by(letters_: Iterable[Letter], each: Occurrence, threads: Mapping[str, Hashable | None]) -> bool:
    return any(
        letter.event == each.event and (not letter.thread or threads[letter.thread] == each.thread)
        for letter in letters_
    )


def _begins(region: Region | None, occurrence: Occurrence) -> bool:
    return region is not None and region.begin == occurrence.number


def _ends(region: Region | None, occurrence: Occurrence) -> bool:
    return region is not None and region.end == occurrence.number


def _needed(pattern: Pattern) -> frozenset[Letter]:
    """Letters that occur in every word of a pattern."""
    match pattern:
        case Letter():
            return frozenset({pattern})
        case Parallel(first, second):
            return frozenset({first, second})
        case Concatenation(parts) | Intersection(parts):
            return frozenset[Letter]().union(*map(_needed, parts))
        case Alternation(parts):
            every = [_needed(part) for part in parts]
            return frozenset.intersection(*every) if every else frozenset()
        case Repetition(part, least):
            return _needed(part) if least else frozenset()
        case Complement():
            return frozenset()


def _related(parameters: Sequence[str], together: Iterable[Sequence[str]]) -> list[frozenset[str]]:
    """The parameters in groups that events relate."""
    groups = [frozenset({p}) for p in parameters]
    for several in together:
        merged = [group for group in groups if not group.isdisjoint(several)]
        if merged:
            groups = [group for group in groups if group not in merged] + [frozenset().union(*merged)]
    return groups
