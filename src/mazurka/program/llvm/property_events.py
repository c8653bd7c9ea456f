"""The events of properties in C programs: calls of functions, and loads and stores of globals and of fields.

Pointcuts whose names begin with ``c:`` are about C. ``c:free`` is a function, of the program or of the library;
``c:total`` a global variable; ``c:account.balance`` the field of a structure, by the names of the source (debug
information). A field is recognised by its address: where a program computes the address of a field, that is noted, so
that an access by a pointer to the field is one, too.

A call has its event where it begins or ends, as a step of its own; a load or store is one step with its event. Integers
are signed, a null pointer is None, and any other address an object; a text stands for a pointer to such characters.

Counted as untracked: functions that copy or fill memory in which such a variable may be; compare and exchange; the
fields of structures in code that clang has optimised, which does not say whose fields they are; all events under TSO
and PSO.

Cost: only programs that are held to properties of C have it; then some microseconds for an access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from mazurka.program.llvm.ir.debug import structure_name
from mazurka.program.llvm.ir.types import Array, Int, Pointer, Struct, Type
from mazurka.program.llvm.memory import Late, Memory
from mazurka.program.llvm.memory_objects import SHIFT
from mazurka.program.llvm.unknown_bytes import SymbolicBytes
from mazurka.program.memory import MemoryModel
from mazurka.program.runtime.recorded_events import PropertyEventSink
from mazurka.properties.conditions import closed, evaluation
from mazurka.properties.names import pattern
from mazurka.properties.property import (
    Anything,
    Equal,
    EventDeclaration,
    Moment,
    Named,
    OfType,
    Operand,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.properties.reached import Reached
from mazurka.trace.conditions_on_objects import MARK

#: Names of C begin with this.
PREFIX: Final = "c:"

#: Texts that are compared are at most so long.
_LONGEST_TEXT: Final = 1 << 12


class Address:
    """A pointer that is not null. Equal ones are one object; ``text`` gives the characters there, or None."""

    __slots__ = ("_text", "value")

    def __init__(self, value: int, text: Callable[[int], bytes | None]) -> None:
        self.value = value
        self._text = text

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            other = other.encode()
        if isinstance(other, bytes):
            return self._text(self.value) == other
        return isinstance(other, Address) and other.value == self.value

    __hash__ = None  # type: ignore[assignment]  # nothing needs it


class _OpenCondition(NamedTuple):
    """In the place of an object: a condition on it."""

    text: str


class _Rule(NamedTuple):
    """A pointcut about C, with its event and property, and its names."""

    property: Property
    event: EventDeclaration
    pointcut: Pointcut
    names: tuple[str, ...]


class _Firing(NamedTuple):
    """An event that an operation is, as far as its operands decide that, and the values that these bind."""

    rule: _Rule
    bound: dict[str, Any]


class NamedAddress(NamedTuple):
    """A variable at an address: its name, and the address of the structure that it is in, or its own."""

    name: str
    of: int


class CEvents:
    """The properties whose events a C program reports to ``sink``. ``place`` gives the name of an address."""

    def __init__(self, properties: Sequence[Property], sink: PropertyEventSink, place: Callable[[int], str]) -> None:
        self._sink = sink
        self.memory: Memory | None = None
        self._place = place
        self._rules = [
            _Rule(each, event, pointcut, names)
            for each in properties
            for event in each.events
            for pointcut in event.pointcuts
            if (names := tuple(name.removeprefix(PREFIX) for name in pointcut.names if name.startswith(PREFIX)))
        ]
        self._by_name: dict[tuple[PointcutKind, str], tuple[_Rule, ...]] = {}
        self.fields: dict[int, NamedAddress] = {}  # that the present execution has computed addresses of
        self._fixed: dict[int, NamedAddress] = {}  # those of static objects
        self.objects: dict[int, str] = {}  # static variables by number of their object

    def attach(self, memory: Memory) -> None:
        """The memory of the program."""
        self.memory = memory

    # -- names that are watched ----------------------------------------------------------------------------------------

    def watches_call(self, name: str) -> bool:
        """Whether calls of a function may be events."""
        return bool(self._named(PointcutKind.CALL, name))

    def watches_variable(self, name: str) -> bool:
        """Whether loads or stores of a variable may be events."""
        return bool(self._named(PointcutKind.GET, name) or self._named(PointcutKind.SET, name))

    @property
    def watches_memory(self) -> bool:
        """Whether any loads or stores may be events."""
        return any(rule.pointcut.kind in (PointcutKind.GET, PointcutKind.SET) for rule in self._rules)

    @property
    def watches_fields(self) -> bool:
        """Whether loads or stores of fields may be events."""
        kinds = (PointcutKind.GET, PointcutKind.SET)
        return any(
            "." in name or "*" in name for rule in self._rules for name in rule.names if rule.pointcut.kind in kinds
        )

    def add_static(self, address: int, name: str, type_: Type, field_names: Mapping[str, Mapping[int, str]]) -> None:
        """A global variable: it, and the fields in it, are known from the beginning."""
        if self.watches_variable(name):
            self.objects[address >> SHIFT] = name
        for at, field in _fields_of(type_, field_names):
            if self.watches_variable(field.name):
                self._fixed[address + at] = NamedAddress(field.name, address + field.of)

    def field(self, address: int, name: str, back: int) -> int:
        """A program computes the address of a field, ``back`` bytes from the beginning of its structure."""
        self.fields[address] = NamedAddress(name, address - back)
        return address

    def begin(self) -> None:
        """An execution begins."""
        self._sink.begin()
        self.fields = dict(self._fixed)

    def reached(self) -> dict[str, Reached]:
        """What the execution has had of each property."""
        return self._sink.reached()

    # -- operations ---------------------------------------------------------------------------------------------------

    def call(
        self, run: Any, name: str, values: tuple[Any, ...], site: int, make: Callable[[], Any], result: Type
    ) -> Any:
        """A call of a function, with its events."""
        firings = self._firings(run, PointcutKind.CALL, name, values)
        self._emit(run, firings, (Moment.BEFORE,), None, site, None)
        given = make()
        if firings and not run.aborting:
            shown = self.shown(given, result)
            self._emit(run, firings, (Moment.AFTER, Moment.RETURNING), shown, site, None)
        return given

    def variables(self, address: int) -> list[NamedAddress]:
        """The watched variables that are at an address."""
        found = [self.fields[address]] if address in self.fields else []
        name = self.objects.get(address >> SHIFT)
        if name is not None:
            found.append(NamedAddress(name, address))
        return found

    def access(
        self,
        run: Any,
        kind: PointcutKind,
        field: NamedAddress,
        values: tuple[Any, ...],
        result: Any,
        site: int,
        mark: int,
    ) -> None:
        """A load or store of a variable, which has been a step since ``mark``."""
        of = self.shown(field.of, Pointer())
        firings = self._firings(run, kind, field.name, (of, *values, field.name.rpartition(".")[2]))
        self._emit(run, firings, tuple(Moment), result, site, mark)

    def uncertain(self, run: Any, text: str) -> None:
        """An operation may be an event."""
        run.untracked[text] = run.untracked.get(text, 0) + 1

    def shown(self, value: Any, type_: Type) -> Any:
        """A value as operands are compared with it: a definite one, also if it depends on unknown inputs."""
        if isinstance(type_, Pointer):
            return Address(int(value), self._text) if value else None
        if isinstance(type_, Int) and type_.bits > 1:
            value = int(value)
            return value - (1 << type_.bits) if value >> type_.bits - 1 & 1 else value
        return value

    def _text(self, address: int) -> bytes | None:
        assert self.memory is not None
        content, zero, _ = self.memory.peek(address, _LONGEST_TEXT).partition(b"\0")
        return content if zero else None

    def _named(self, kind: PointcutKind, name: str) -> tuple[_Rule, ...]:
        found = self._by_name.get((kind, name))
        if found is None:
            found = self._by_name[kind, name] = tuple(
                rule
                for rule in self._rules
                if rule.pointcut.kind is kind and any(pattern(each).fullmatch(name) for each in rule.names)
            )
        return found

    def _firings(self, run: Any, kind: PointcutKind, name: str, values: tuple[Any, ...]) -> list[_Firing]:
        found = []
        for rule in self._named(kind, name):
            bound: dict[str, Any] = {}
            optional = 0 if kind is PointcutKind.CALL else 1 if kind is PointcutKind.GET else 2
            if rule.pointcut.operands is None or _fit(rule.pointcut.operands, values, bound, optional):
                found.append(_Firing(rule, bound))
        return found

    def _emit(
        self, run: Any, firings: list[_Firing], moments: tuple[Moment, ...], result: Any, site: int, mark: int | None
    ) -> None:
        if self.memory is not None and self.memory.section.depth:
            mark = None  # the step is that of the section
        for rule, bound in firings:
            moment = rule.pointcut.moment
            if moment not in moments or moment is Moment.RAISING:
                continue
            if moment is Moment.RETURNING and not _is_as(rule.pointcut.result, result, bound):
                continue
            if rule.pointcut.condition and not self._is_met(run, rule, bound):
                continue
            objects = tuple(self._name_of(bound[each]) for each in rule.event.parameters)
            self._sink.see(run, rule.property, rule.event.name, objects, site, mark)

    def _is_met(self, run: Any, rule: _Rule, bound: dict[str, Any]) -> bool:
        free = rule.pointcut.free(rule.event.parameters)
        if free:
            text = closed(rule.pointcut.condition, {name: each for name, each in bound.items() if name not in free})
            if text is None:
                self.uncertain(run, f"a condition that looks at more than numbers, {rule.pointcut.condition},")
                return False
            bound.update(dict.fromkeys(free, _OpenCondition(MARK + text)))
            return True
        try:
            return evaluation(rule.pointcut.condition)(bound)
        except Exception:  # a comparison of values of different kinds, for instance
            self.uncertain(run, f"a condition that looks at more than numbers, {rule.pointcut.condition},")
            return False

    def _name_of(self, value: Any) -> str:
        if isinstance(value, _OpenCondition):
            return value.text
        if isinstance(value, Address):
            return self._place(value.value)
        if isinstance(value, float) and value.is_integer():
            return repr(int(value))
        return repr(value)


def _fit(wanted: Sequence[Operand], given: tuple[Any, ...], bound: dict[str, Any], optional: int) -> bool:
    for place, operand in enumerate(wanted):
        if operand == Anything(more=True):
            return True
        if place >= len(given) or not _is_as(operand, given[place], bound):
            return False
    return len(given) - optional <= len(wanted)


def _is_as(operand: Operand, value: Any, bound: dict[str, Any]) -> bool:
    match operand:
        case Named(parameter):
            if parameter in bound and not bool(bound[parameter] == value):
                return False
            bound[parameter] = value
            return True
        case Equal(wanted):
            return bool(value == wanted)
        case OfType():
            return False
        case _:
            return True


def _fields_of(type_: Type, names: Mapping[str, Mapping[int, str]], at: int = 0, most: int = 4096) -> Iterable[Any]:
    """The fields in a variable of a type: their offsets, each with its name and the offset of its structure."""
    if isinstance(type_, Array):
        if isinstance(type_.element, Array | Struct) and type_.count * type_.element.size <= most * 16:
            for number in range(type_.count):
                yield from _fields_of(type_.element, names, at + number * type_.element.size, most)
    elif isinstance(type_, Struct):
        own = names.get(type_.name, {})
        for number, part in enumerate(type_.fields):
            offset = type_.offset(number)
            if offset in own:
                yield at + offset, NamedAddress(f"{structure_name(type_.name)}.{own[offset]}", at)
            yield from _fields_of(part, names, at + offset, most)


class WatchedMemory(Memory):
    """Memory whose loads and stores are events of properties."""

    def __init__(self, model: MemoryModel, events: CEvents) -> None:
        super().__init__(model)
        self.events = events

    def _loaded(self, address: int, size: int, value: int, site: int, mark: int) -> int:
        for field in self.events.variables(address):
            shown = self._shown(value, size)
            self.events.access(self.run, PointcutKind.GET, field, (), shown, site, mark)
        return value

    def _stored(self, address: int, size: int, value: int, site: int, mark: int) -> None:
        for field in self.events.variables(address):
            shown = self._shown(value, size)
            self.events.access(self.run, PointcutKind.SET, field, (shown,), None, site, mark)

    def _shown(self, value: int, size: int) -> Any:
        """A value of which only the size is known: one of eight bytes is an address if there is an object."""
        if size == 8 and (value >> SHIFT) in self.objects:
            return self.events.shown(value, Pointer())
        return self.events.shown(value, Int(8 * size))

    def load(self, address: int, size: int, site: int) -> int:
        mark = len(self.run.log)
        return self._loaded(address, size, super().load(address, size, site), site, mark)

    def move(self, address: int, size: int, site: int) -> int:
        mark = len(self.run.log)
        return self._loaded(address, size, super().move(address, size, site), site, mark)

    def atomic_load(self, address: int, size: int, site: int) -> int:
        mark = len(self.run.log)
        return self._loaded(address, size, super().atomic_load(address, size, site), site, mark)

    def store(self, address: int, size: int, value: int, site: int) -> None:
        mark = len(self.run.log)
        super().store(address, size, value, site)
        self._stored(address, size, value, site, mark)

    def atomic_store(self, address: int, size: int, value: int, site: int, late: Late = Late.NOT) -> None:
        mark = len(self.run.log)
        super().atomic_store(address, size, value, site, late)
        self._stored(address, size, value, site, mark)

    def update(self, address: int, size: int, change: Callable[[int], int], site: int) -> int:
        return self._changed(address, size, change, site, super().update)

    def replace(self, address: int, size: int, change: Callable[[int], int], site: int) -> int:
        return self._changed(address, size, change, site, super().replace)

    def _changed(
        self,
        address: int,
        size: int,
        change: Callable[[int], int],
        site: int,
        how: Callable[[int, int, Callable[[int], int], int], int],
    ) -> int:
        """An indivisible update is a load and a store."""
        mark = len(self.run.log)
        before = self._loaded(address, size, how(address, size, change, site), site, mark)
        self._stored(address, size, change(before), site, mark)
        return before

    def exchange(self, address: int, size: int, old: int, new: int, site: int) -> tuple[int, bool]:
        mark = len(self.run.log)
        before, done = super().exchange(address, size, old, new, site)
        self._loaded(address, size, before, site, mark)
        if done:
            self._stored(address, size, new, site, mark)
        return before, done

    def take(self, address: int, size: int, site: int, *, initialised: bool = True) -> SymbolicBytes:
        self._note_bytes(address, size)
        return super().take(address, size, site, initialised=initialised)

    def write(self, address: int, content: bytes | SymbolicBytes, site: int, shadow: bytes | None = None) -> None:
        self._note_bytes(address, len(content))
        super().write(address, content, site, shadow)

    def _note_bytes(self, address: int, size: int) -> None:
        """Bytes are read or written, perhaps those of a watched variable."""
        thing = self.objects.get(address >> SHIFT)
        if thing is None or thing.is_constant or self.run.solo:
            return
        is_watched = address >> SHIFT in self.events.objects or (
            self.events.watches_fields
            and (thing.kind == "heap" or any(address <= each < address + size for each in self.events.fields))
        )
        if is_watched:
            self.events.uncertain(self.run, f"bytes of {thing.name} that are read or written as a whole")


def not_about_c(properties: Iterable[Property]) -> list[str]:
    """The properties none of whose pointcuts is about C."""
    return [
        each.name
        for each in properties
        if not any(
            name.startswith(PREFIX) for event in each.events for pointcut in event.pointcuts for name in pointcut.names
        )
    ]
