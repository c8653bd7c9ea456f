"""Accesses of memory at addresses that depend on unknown inputs.

Such an access is resolved per object (paper of POR-SE, section 2): that the address belongs to an object is one
condition of the path, and that the access is within its bounds another one. In between, a value that is read is a term,
a tree of choices by the offset among the values at all *places* where the access may be; one that is written makes each
place a choice between it and the value before.

For other threads the access is one of all its places. That is right as long as no other thread's accesses are in
conflict with any of them; where one is, the address becomes definite, a branch for each value, so that orders and races
are those of the locations accessed. It does so, too, where places are many, or where some of those that are written
overlap or are not initialised. :attr:`UnknownPlaces.branched` has the sites of these.

Cost: some ten microseconds for each place.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.memory import Memory
from mazurka.program.llvm.memory_objects import BIAS, MASK, SHIFT, MemoryObject
from mazurka.program.llvm.unknown_bytes import UnknownBytes
from mazurka.program.memory import MemoryModel
from mazurka.symbolic.ranges import range_of
from mazurka.symbolic.terms import Term, choice, chosen, constant, extended, operation
from mazurka.symbolic.values import SymbolicInt, plain
from mazurka.trace.event import Op

#: An access that may be at more places has a branch for each.
MOST_PLACES: Final = 1024


class UnknownPlace(NamedTuple):
    """An access of ``size`` bytes in an object, at an offset that depends on inputs; ``places`` are those where it may
    be."""

    thing: MemoryObject
    offset: SymbolicInt
    places: range
    size: int

    @property
    def span(self) -> int:
        """The bytes from the first place to the end of the last one."""
        return self.places[-1] + self.size - self.places[0]

    def is_writable(self) -> bool:
        """Whether a write needs no definite place: it initialises nothing, and has its place to itself."""
        start, step = self.places[0], self.places.step
        shadow = self.thing.shadow
        return step >= self.size and (shadow is None or all(shadow[start : start + self.span]))

    def hold_initialised(self, site: int) -> None:
        """Find a fault where no byte that is read has a value; whether one has is a condition of the path."""
        thing, shadow, offset = self.thing, self.thing.shadow, self.offset
        if shadow is None or all(shadow[self.places[0] : self.places[0] + self.span]):
            return
        valid = [int(any(shadow[place : place + self.size])) for place in self.places]
        term = chosen(offset.term, self.places, [constant(each, 1) for each in valid])
        holds = valid[self.places.index(offset.value)]
        if not offset.derived(holds, term, False):
            at = offset.value
            raise ProgramFault("uninitialised read", f"reads {self.size} byte(s) at offset {at} of {thing.name}", site)

    def read(self) -> int:
        """The unsigned number there."""
        offset = self.offset
        terms = [self._term(self._number(place)) for place in self.places]
        value = plain(self._number(offset.value))
        number: int = offset.derived(value, chosen(offset.term, self.places, terms), False)
        return number

    def write(self, value: Any) -> None:
        """Write an unsigned number."""
        thing, offset = self.thing, self.offset
        if thing.unknown is None:
            thing.unknown = UnknownBytes()
        for place in self.places:
            before = self._number(place)
            is_here = operation("eq", offset.term, constant(place, offset.term.width))
            after = plain(value if place == offset.value else before)
            term = choice(is_here, self._term(value), self._term(before))
            number = offset.derived(after, term, False)
            thing.unknown.set(place, self.size, number)
            thing.data[place : place + self.size] = int(after).to_bytes(self.size, "little")

    def _number(self, place: int) -> Any:
        thing = self.thing
        number = int.from_bytes(thing.data[place : place + self.size], "little")
        return number if thing.unknown is None else thing.unknown.number(place, self.size, number)

    def _term(self, number: Any) -> Term:
        if type(number) is SymbolicInt:
            return extended(number.term, self.size * 8, signed=number.signed)
        return constant(number, self.size * 8)


class UnknownPlaces:
    """The accesses of a memory at addresses that depend on inputs."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.branched: set[int] = set()  # the sites of those that have a branch for each value, without a conflict

    def visit(self, address: SymbolicInt, size: int, site: int, verb: str) -> UnknownPlace | None:
        """Pass an access as far as other threads are concerned, or find a fault; None if the address is to become
        definite first."""
        memory = self.memory
        thing = memory.objects.get(address >> SHIFT)  # which becomes definite
        if thing is None or thing.kind == "function":
            return None
        offset = (address - thing.address) & MASK
        if not (thing.live and size <= thing.size and offset <= thing.size - size):
            raise memory.fault(thing, plain(address), plain((address & MASK) - BIAS), size, site, verb)
        if verb == "writes":
            memory.hold_writable(thing, size, site)
        if type(offset) is not SymbolicInt:
            return None
        place = UnknownPlace(thing, offset, _places(offset, thing.size - size), size)
        if len(place.places) > MOST_PLACES or verb == "writes" and not place.is_writable():
            self.branched.add(site)
            return None
        if memory.run.solo or thing.is_constant:
            return place
        if site in memory.run.points or memory.section.depth or memory.model is not MemoryModel.SC:
            return None
        for op in (Op.READ,) if verb == "reads" else (Op.READ, Op.WRITE):
            memory.visit(op, thing, place.places[0], place.span, site)
        return place


def _places(offset: SymbolicInt, last: int) -> range:
    """The places of an offset that is at most ``last``."""
    low, high, same = range_of(offset.term)
    return range(low, min(high, last) + 1, 1 << min(same, SHIFT))
