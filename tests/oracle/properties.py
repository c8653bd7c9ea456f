"""Violations of properties in the executions that a small trace proves possible: all orders tried, and every factor of
every word of every binding compared with the pattern, by definition (:mod:`mazurka.trace.patterns`). Of factors of one
word, those that contain another violation are left out.

Patterns are turned into texts for `re` where they have no complement or intersection, and otherwise into sets of all
words up to the length of the trace.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice, product
from typing import NamedTuple

from tests.oracle.predictable import Predictable, Reached

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
)
from mazurka.trace.property_events import PropertyEvent, property_events
from mazurka.trace.trace import Trace

Word = tuple[frozenset[Letter], ...]


class Shown(NamedTuple):
    """A violation: the rows with POINT of its events, and how many of them are next at once."""

    points: tuple[int, ...]
    at_once: int


@lru_cache(maxsize=100_000)
def in_language(pattern: Pattern, word: Word) -> bool:
    """Whether a word is in the language of a pattern, by the definition of each operator."""
    match pattern:
        case Letter():
            return len(word) == 1 and pattern in word[0]
        case Concatenation(()):
            return not word
        case Concatenation((first, *rest)):
            return any(
                in_language(first, word[:n]) and in_language(Concatenation(tuple(rest)), word[n:])
                for n in range(len(word) + 1)
            )
        case Alternation(parts):
            return any(in_language(part, word) for part in parts)
        case Intersection(parts):
            return all(in_language(part, word) for part in parts)
        case Complement(part):
            return not in_language(part, word)
        case Repetition(part, least, often):
            if not word:
                return least == 0 or in_language(part, word)
            if in_language(part, word):
                return True
            return often and any(
                in_language(part, word[:n]) and in_language(pattern, word[n:]) for n in range(1, len(word))
            )
        case Parallel():
            return False


@lru_cache(maxsize=100_000)
def begins_a_word(pattern: Pattern, word: Word) -> bool:
    """Whether a word of a pattern without complement and intersection begins with these symbols."""
    return any(
        len(each) >= len(word) and all(letter in symbol for letter, symbol in zip(each, word, strict=False))
        for each in _words(pattern, len(word) + 1)
    )


@lru_cache(maxsize=10_000)
def _words(pattern: Pattern, times: int) -> frozenset[tuple[Letter, ...]]:
    """The words of a pattern with at most so many repetitions."""
    match pattern:
        case Letter():
            return frozenset({(pattern,)})
        case Concatenation(parts):
            return frozenset(tuple(chain(*each)) for each in product(*(_words(part, times) for part in parts)))
        case Alternation(parts):
            return frozenset().union(*(_words(part, times) for part in parts))
        case Repetition(part, least, often):
            many: frozenset[tuple[Letter, ...]] = frozenset({()})
            found = set() if least else {()}
            for _ in range(times if often else 1):
                many = frozenset(one + other for one in many for other in _words(part, times) if len(one) <= times)
                found |= many
            return frozenset(found)
        case _:
            raise ValueError(pattern)


def _alternatives(pattern: Pattern) -> Iterator[tuple[Pattern, Parallel | None]]:
    if isinstance(pattern, Alternation):
        for part in pattern.parts:
            yield from _alternatives(part)
    elif isinstance(pattern, Parallel):
        yield Concatenation(()), pattern
    elif isinstance(pattern, Concatenation) and pattern.parts:
        for last, pair in _alternatives(pattern.parts[-1]):
            yield Concatenation((*pattern.parts[:-1], last)), pair
    else:
        yield pattern, None


class Violations:
    """See the module."""

    def __init__(self, trace: Trace, stated: Stated) -> None:
        self.trace, self.stated = trace, stated
        self.events = property_events(trace, stated.name)
        self.mark = {e.point: e.row if e.begins(stated.before) else e.point for e in self.events}
        self.begin = {e.point: e.row for e in self.events if not e.needs_value}
        self.executions = Predictable(trace)
        self.names = list(self._namings())

    def _namings(self) -> Iterator[dict[int, frozenset[Letter]]]:
        """For each binding the letters of each event, by its row with POINT."""
        own = set(letters(self.stated.pattern))
        parameters = sorted({p for letter in own for p in self.stated.events[letter.event]})
        attributes = sorted({letter.thread for letter in own if letter.thread})
        regions = sorted({r for letter in own for r in (*letter.begins, *letter.ends)})
        threads = range(len(self.trace.threads))
        for objects in self._objects(parameters, own):
            agreeing = [
                e
                for e in self.events
                if any(letter.event == e.event for letter in own)
                and all(
                    eval(x[1:], {p: int(v) for p, v in objects.items()}) if x.startswith("?") else objects[p] == x
                    for p, x in zip(self.stated.events[e.event], e.objects, strict=True)
                )
            ]
            for chosen in product([*threads, -1], repeat=len(attributes)):
                bound = [t for t in chosen if t >= 0]
                if len(set(bound)) < len(bound):
                    continue
                thread_of = dict(zip(attributes, chosen, strict=True))
                if isinstance(self.stated.pattern, Complement) and not self._is_full(thread_of, agreeing, own):
                    continue
                instances = [[*self._instances(r, agreeing, own, thread_of), None] for r in regions]
                for instance in product(*instances):
                    of = dict(zip(regions, instance, strict=True))
                    yield {e.point: self._letters(e, own, thread_of, of) for e in agreeing}

    @staticmethod
    def _is_full(thread_of: dict[str, int], agreeing: Sequence[PropertyEvent], own: set[Letter]) -> bool:
        """Whether each attribute has a thread with events for it, or there is none left."""
        for attribute, thread in thread_of.items():
            events = {x.event for x in own if x.thread == attribute}
            threads = {e.thread for e in agreeing if e.event in events}
            if thread not in threads and not (thread == -1 and threads <= {*thread_of.values()}):
                return False
        return True

    def _objects(self, parameters: Sequence[str], own: set[Letter]) -> Iterator[dict[str, str]]:
        """Objects that events have bound together."""
        named = [e for e in self.events if any(letter.event == e.event for letter in own)]
        seen = {p: sorted({x for e in named for q, x in self._bound(e) if q == p}) for p in parameters}
        declared = [set(self.stated.bound(letter.event)) for letter in own]
        for values in product(*(seen[p] for p in parameters)):
            objects = dict(zip(parameters, values, strict=True))
            if self.stated.distinct and len(set(values)) == 1:
                continue
            facts = [{p for p, _ in self._bound(e)} for e in self.events if _agrees(objects, self._bound(e), e, own)]
            if _parts(parameters, facts) == _parts(parameters, declared):
                yield objects

    def _bound(self, event: PropertyEvent) -> list[tuple[str, str]]:
        pairs = zip(self.stated.events[event.event], event.objects, strict=True)
        return [(p, x) for p, x in pairs if not x.startswith("?")]

    def _instances(
        self, region: str, agreeing: Sequence[PropertyEvent], own: set[Letter], thread_of: dict[str, int]
    ) -> list[tuple[int, int]]:
        found = []
        for thread in range(len(self.trace.threads)):
            depth: list[list[int]] = []
            for e in agreeing:
                if e.thread != thread:
                    continue
                mine = [x for x in own if x.event == e.event and (not x.thread or thread_of[x.thread] == thread)]
                if any(region in x.begins for x in mine):
                    depth.append([e.point, -1])
                    found.append(depth[-1])
                elif any(region in x.ends for x in mine) and depth:
                    depth.pop()[1] = e.point
        return [(begin, end) for begin, end in found]

    def _letters(
        self,
        e: PropertyEvent,
        own: set[Letter],
        thread_of: dict[str, int],
        of: dict[str, tuple[int, int] | None],
    ) -> frozenset[Letter]:
        return frozenset(
            x
            for x in own
            if x.event == e.event
            and (not x.thread or thread_of[x.thread] == e.thread)
            and all((of[r] or (-2, -2))[0] == e.point for r in x.begins)
            and all((of[r] or (-2, -2))[1] == e.point for r in x.ends)
        )

    def all(self) -> set[Shown]:
        """All violations, each by its events."""
        found: set[Shown] = set()
        counting = {e.row for e in self.events} | set(self.mark.values())
        start: tuple[Reached, tuple[int, ...]] = (self.executions.start, ())
        seen, stack = {start}, [start]
        while stack:
            state, order = stack.pop()
            found |= self._shown(state, order)
            for row, after in self.executions.steps(state):
                then = (after, (*order, row) if row in counting else order)
                if then not in seen:
                    seen.add(then)
                    stack.append(then)
        return found

    def _shown(self, state: Reached, order: tuple[int, ...]) -> set[Shown]:
        place = {row: n for n, row in enumerate(order)}
        done = [e for e in self.events if self.mark[e.point] in place]
        done.sort(key=lambda e: (place[e.row], e.point))
        found = set()
        for naming in self.names:
            if not any(naming.values()):
                continue
            points = tuple(e.point for e in done if naming.get(e.point))
            word = tuple(naming[p] for p in points)
            if isinstance(self.stated.pattern, Complement):
                for n in range(1, len(word) + 1):
                    if not begins_a_word(self.stated.pattern.part, word[:n]):
                        found.add(Shown(points[:n], 0))
                        break
                continue
            alternatives = list(_alternatives(self.stated.pattern))
            factors = {
                (i, j)
                for start, pair in alternatives
                if pair is None
                for i in range(len(word))
                for j in range(i + 1, len(word) + 1)
                if in_language(start, word[i:j])
            }
            found |= {Shown(points[i:j], 0) for i, j in factors if not _contains_another(i, j, factors)}
            nexts = set(self.executions.standing(state))
            for start, pair in alternatives:
                if pair is None:
                    continue
                begins = (i for i in range(len(word), -1, -1) if in_language(start, word[i:]))
                for i in islice(begins, 1):  # the shortest
                    found |= {
                        Shown((*points[i:], one.point, other.point), 2)
                        for one in self.events
                        for other in self.events
                        if self.begin.get(one.point) in nexts and self.begin.get(other.point) in nexts
                        if one.thread != other.thread
                        if pair.first in naming.get(one.point, ()) and pair.second in naming.get(other.point, ())
                    }
        return found


class ViolationsOfWholeOperations(Violations):
    """The violations in executions in which each operation of several rows comes as a whole: no other thread moves from
    its first row to its last. An event before an operation takes place with the first row; an execution in which the
    operation can't go on as in the trace ends there."""

    def __init__(self, trace: Trace, stated: Stated) -> None:
        super().__init__(trace, stated)
        self.begin = {e.point: e.first for e in self.events if not e.needs_value}
        self._last_row = {e.first: e.row for e in self.events if e.first != e.row}
        self.events = [e._replace(row=e.first) if e.begins(stated.before) else e for e in self.events]
        self.mark = {e.point: e.row if e.begins(stated.before) else e.point for e in self.events}

    def all(self) -> set[Shown]:
        """See :meth:`Violations.all`."""
        found: set[Shown] = set()
        counting = {e.row for e in self.events} | set(self.mark.values())
        start: tuple[Reached, tuple[int, ...], int] = (self.executions.start, (), -1)
        seen, stack = {start}, [start]
        while stack:
            state, order, until = stack.pop()
            found |= {shown for shown in self._shown(state, order) if until < 0 or not shown.at_once}
            for row, after in self.executions.steps(state):
                if until >= 0 and self.trace.thread[row] != self.trace.thread[until]:
                    continue
                longer = (*order, row) if row in counting else order
                then = (after, longer, -1 if row == until else self._last_row.get(row, until))
                if then not in seen:
                    seen.add(then)
                    stack.append(then)
        return found


def _contains_another(i: int, j: int, factors: set[tuple[int, int]]) -> bool:
    return any(i <= k and m <= j and (k, m) != (i, j) for k, m in factors)


def _agrees(objects: dict[str, str], bound: list[tuple[str, str]], e: PropertyEvent, own: set[Letter]) -> bool:
    return any(letter.event == e.event for letter in own) and all(objects.get(p) == x for p, x in bound)


def _parts(parameters: Sequence[str], sets: Sequence[set[str]]) -> set[frozenset[str]]:
    parts = [{p} for p in parameters]
    for several in sets:
        touched = [part for part in parts if part & several]
        parts = [part for part in parts if not part & several]
        if touched:
            parts.append(set().union(*touched))
    return {frozenset(part) for part in parts}


# -- drawn at random ---------------------------------------------------------------------------------------------------


def _typical() -> Iterator[Pattern]:
    """Patterns like those of the patent's figures."""
    a, b, c = (Letter(event) for event in "abc")
    a_s, b_t, a_t = Letter("a", "s"), Letter("b", "t"), Letter("a", "t")
    yield Concatenation((a, Repetition(c, 0, True), Repetition(b, 1, True), c))
    yield Concatenation((a_s, Repetition(b_t, 1, True), a_s))
    yield Parallel(a_s, b_t)
    yield Concatenation((Letter("a", "s", ("r",)), b_t, Letter("c", "s", (), ("r",))))
    yield Complement(Concatenation((a, Repetition(b, 0, True), c)))
    yield Concatenation((a_s, a_t))
    yield Concatenation((a_s, Repetition(Letter("b"), 0, True), Parallel(a_s, b_t)))
    yield Intersection(
        (Concatenation((a_s, Repetition(b, 0, True), Letter("a", "s"))), Complement(Concatenation((a, a))))
    )


_TYPICAL = tuple(_typical())


def random_property(rng: random.Random) -> Stated:
    """A property over the events a, b and c, with one parameter or two."""
    events = rng.choice(
        (
            {"a": ("x",), "b": ("x",), "c": ("x",)},
            {"a": ("x", "y"), "b": ("x",), "c": ("y",)},
            {"a": (), "b": (), "c": ()},
            {"a": ("x",), "b": ("y",), "c": ("x", "y")},
        )
    )
    before = frozenset(e for e in events if rng.random() < 0.5)
    while True:
        kind = rng.random()
        if kind < 0.3:
            return Stated("p", events, rng.choice(_TYPICAL), before)
        if kind < 0.4:
            pattern: Pattern = Complement(_pattern(rng, 2, simple=True))
        elif kind < 0.5:
            pair = Parallel(_letter(rng), _letter(rng))
            pattern = pair if rng.random() < 0.5 else Concatenation((_pattern(rng, 1), pair))
        elif kind < 0.65:
            region = [Letter("a", "s", ("r",)), *(_letter(rng) for _ in range(rng.randrange(3)))]
            pattern = Concatenation((*region, Letter("b", "s", (), ("r",))))
        else:
            pattern = _pattern(rng, 3)
        if not in_language(pattern, ()) or isinstance(pattern, Complement):
            return Stated("p", events, pattern, before)


def with_distinct(stated: Stated) -> Stated:
    """The property with two parameters that stand for different objects, if its pattern has two."""
    named = {p for letter in letters(stated.pattern) for p in stated.events[letter.event]}
    return replace(stated, distinct=("x", "y") if len(named) == 2 else ())


def with_conditions(stated: Stated, rng: random.Random) -> Stated:
    """The property with conditions on parameters that other events bind, if it has such."""
    found = set()
    for event, parameters in stated.events.items():
        for p in parameters:
            others = (e for e, names in stated.events.items() if e != event and p in names)
            if rng.random() < 0.5 and any((e, p) not in found for e in others):
                found.add((event, p))
    return replace(stated, free=frozenset(found))


def random_objects(stated: Stated, event: str, rng: random.Random) -> list[str]:
    """Objects of an event, or conditions on them."""
    conditions = [
        f"?{each}"
        for p in stated.events[event]
        for each in (f"{p} == 0", f"{p} != 0", f"{p} in (0, 1)", f"not {p} < 1", f"{p} + 1 == 2")
        if (event, p) in stated.free
    ]
    one = rng.choice(conditions) if conditions else ""
    return [one if (event, p) in stated.free else rng.choice("01") for p in stated.events[event]]


def _letter(rng: random.Random) -> Letter:
    return Letter(rng.choice("abc"), rng.choice(("", "", "s", "t")))


def _pattern(rng: random.Random, depth: int, simple: bool = False) -> Pattern:
    if depth == 0:
        return _letter(rng)
    parts = tuple(_pattern(rng, rng.randrange(depth), simple) for _ in range(rng.choice((2, 2, 3))))
    match rng.randrange(5 if simple else 7):
        case 0 | 1 | 2:
            return Concatenation(parts)
        case 3:
            return Alternation(parts)
        case 4:
            return Repetition(parts[0], rng.randrange(2), rng.random() < 0.7)
        case 5:
            return Intersection((parts[0], Complement(parts[1])))
        case _:
            return Concatenation((parts[0], Complement(parts[1]), parts[0]))
