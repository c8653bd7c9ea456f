"""The memory of a C program in one execution: objects begin and end in it, and threads access them.

Each access finds its object (:mod:`mazurka.program.llvm.memory_objects`), passes the steps that it is, and reads or
writes the object's bytes. Errors are raised as :class:`~mazurka.program.llvm.faults.Fault`.

Cost: an access takes half a microsecond while there is one thread, and one microsecond after that.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from mazurka.program.llvm.atomic_section import AtomicSection
from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.layout import Layouts, ObjectLayout, further
from mazurka.program.llvm.memory_objects import (
    BIAS,
    LARGEST,
    MASK,
    PLACES,
    SHIFT,
    STACK,
    THREAD,
    MemoryObject,
    MemorySlot,
    code_of,
    number_in_library,
)
from mazurka.program.llvm.ownership import Ownership, mark_of
from mazurka.program.llvm.unknown_bytes import SymbolicBytes, UnknownAddress, UnknownAddresses
from mazurka.program.llvm.wide_accesses import mark_of_site, unprotected, words_of
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Access
from mazurka.program.runtime.runtime import Runtime
from mazurka.symbolic.values import SymbolicInt
from mazurka.trace.event import Op
from mazurka.trace.targets import Target

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW

#: The most objects, and the bytes that they may have in all, to be compared as a whole.
_MANY: Final = 1_000
_LARGE: Final = 1 << 16

#: The bytes of the longest text.
_LONGEST: Final = 1 << 20

#: The parts of an access under TSO and PSO, of which each may be late.
_MOST_PARTS: Final = 64
_LONG: Final = f"an access of more than {_MOST_PARTS} locations, under TSO or PSO"

#: A store that is not late.
_WIDE: Final = "a store of memory that is also accessed in parts, under TSO or PSO"

#: The value of the life of an object.
_ALIVE: Final = ("int", 1)


class Late(Enum):
    """Whether a store may reach other threads late, as far as its memory model has that."""

    NOT = "not"
    IN_ORDER = "in order"  # not before the stores before it
    ANY = "any"


class Memory:
    """The memory of an execution in progress. It serves one execution after another (:meth:`restart`)."""

    def __init__(self, model: MemoryModel = MemoryModel.SC) -> None:
        self.model = model
        self.run: Runtime = None  # type: ignore[assignment]  # set by restart()
        self.objects: dict[int, MemoryObject] = {}
        self.codes: dict[int, str] = {}  # the code of a thread -> its name
        self._codes: dict[str, int] = {}  # the codes of threads in all executions, by their names
        self.made: dict[str, int] = {}  # by thread: how many objects it has made
        self.unchanged: set[int] = set()  # the steps that are updates of several cells and have left these as they were
        self.layouts = Layouts()
        self.on_end: Callable[[MemoryObject], object] | None = None
        self.show: Callable[[MemoryObject, int, int], Any] = lambda thing, at, size: None
        self.places: UnknownAddresses | None = None  # None: addresses become definite
        self.owned = Ownership()
        self.keeps_owned = model is MemoryModel.SC  # whether objects may be owned
        self.has_all_steps = False  # whether accesses of owned objects are steps, too
        self.stack_used: defaultdict[int, int] = defaultdict(int)  # by task: the bytes of its variables
        self._marks: dict[tuple[str, str, str], int] = {}
        self._static: list[tuple[MemoryObject, bytes]] = []  # with their initial values
        self.wide: set[int] = set()  # of this execution: the sites of accesses of several words that are one step each
        self.section = AtomicSection()
        #: By the base and the offset of a location: the thread and the site of the last atomic store; None: not kept.
        self.atomic_stores: dict[tuple[int, int], tuple[str, int]] | None = None

    def restart(self, run: Runtime, *, has_all_steps: bool = False) -> None:
        """Begin an execution: static objects have their initial values again, all others are gone. With
        ``has_all_steps`` accesses of owned objects are steps, but no points: the execution has the same schedule."""
        self.run = run
        self.has_all_steps = has_all_steps
        self.section.restart(run)
        self.wide.clear()
        self.unchanged.clear()
        if self.atomic_stores is not None:
            self.atomic_stores.clear()
        self.codes.clear()
        self.made.clear()
        self.stack_used.clear()
        self.layouts.restart(run.sharing)
        self.owned.restart(run, has_all_steps=has_all_steps)
        self.objects = {}
        for number, (thing, content) in enumerate(self._static, start=1):
            self.objects[number] = thing
            if not thing.is_constant:
                thing.data[:] = content
                thing.unknown = None
                thing.is_foreign = False
                thing.is_shared = not self.keeps_owned or thing.mark in run.points
                thing.use = None

    # -- objects ------------------------------------------------------------------------------------------------------

    def add_static(self, name: str, size: int, kind: str) -> int:
        """Make room for an object that every execution begins with; returns its address."""
        number = len(self._static) + 1
        layout = ObjectLayout(name, self.layouts)
        made = MemoryObject(number << SHIFT, size, kind, layout, bytearray(size), mark=mark_of(kind, name, ""))
        self._static.append((made, bytes(size)))
        return made.address

    def set_static(self, address: int, content: bytes) -> None:
        """Set the initial value of a static object."""
        index = (address >> SHIFT) - 1
        thing = self._static[index][0]
        thing.data[:] = content
        self._static[index] = (thing, content)

    def allocate(
        self,
        size: int,
        kind: str,
        name: str = "",
        content: bytes | SymbolicBytes | None = None,
        place_made: str = "",
    ) -> MemoryObject:
        """Make an object; without ``content`` it is not initialised. ``place_made`` is the function that makes it."""
        task = self.run.current
        place = self.made.get(task.name, 0) + 1
        if size > LARGEST:
            self.run.stop(f"the run was cut: an object of {size:,} bytes is larger than {LARGEST:,}")
        if place >= 1 << PLACES:
            self.run.stop(f"the run was cut: thread {task.name} has made more than {place} objects in memory")
        self.made[task.name] = place
        if kind == STACK:
            self.stack_used[task.index] += size
        number = (self._code(task.name) + 1 << PLACES) | place
        layout = self.layouts.of(f"{name or kind} {task.name}#{place}")
        key = (kind, name, place_made)
        mark = self._marks.get(key)
        if mark is None:
            mark = self._marks[key] = mark_of(*key)
        made = MemoryObject(number << SHIFT, size, kind, layout, bytearray(size), task.name, mark)
        made.serial = place
        made.is_shared = not self.keeps_owned or mark in self.run.points
        if content is None:
            made.shadow = bytearray(size)
        else:
            made.put(0, content)
        self.objects[number] = made
        return made

    def of_library(self, name: str, size: int, kind: str, content: bytes = b"") -> MemoryObject:
        """The object of the C library of a name, made at its first use by any thread, at an address that does not
        depend on which one that is."""
        number = number_in_library(name)
        found = self.objects.get(number)
        if found is None:
            layout = self.layouts.of(name)
            data = bytearray(content.ljust(size, b"\0"))
            found = self.objects[number] = MemoryObject(number << SHIFT, size, kind, layout, data)
        if found.name != name:
            self.run.stop(f"the run was cut: {name} and {found.name} would have the same address")
        return found

    def _code(self, thread: str) -> int:
        code = self._codes.get(thread)
        if code is None:
            code = self._codes[thread] = code_of(thread)
        if self.codes.setdefault(code, thread) != thread:
            self.run.stop("the run was cut: two of its threads would have the same addresses")
        return code

    def end(self, thing: MemoryObject, site: int) -> None:
        """End the life of an object: a step, if other threads may use it."""
        run = self.run
        is_owned = not (run.solo or thing.is_shared) and self._ends_owned(thing, site)
        if run.solo or (is_owned and not self.has_all_steps):
            pass
        elif thing.is_foreign or thing.kind == "heap":
            if run.detail and not run.keyed:
                run.names.setdefault(thing.life, thing.name)
            look = (lambda: self._life(thing)) if run.detail else None
            self.step(_RMW, thing.life, site, look, point=False if is_owned else None)
            if not thing.live:
                raise ProgramFault("double free", f"frees {thing.name}, which has been freed", site)
        if self.section.depth and (thing.is_foreign or thing.kind == "heap"):
            self.section.has_ended_objects = True
        thing.live = False
        if thing.kind == STACK:
            self.stack_used[run.current.index] -= thing.size
        if self.on_end is not None:
            self.on_end(thing)

    def _life(self, thing: MemoryObject) -> Any:
        if self.run.keyed:
            return ("int", int(thing.live))
        return "alive" if thing.live else "freed" if thing.kind == "heap" else "gone"

    def find(self, address: int, size: int, site: int, verb: str) -> tuple[MemoryObject, int]:
        """The live object that has ``size`` bytes at an address, and the offset there, which become definite."""
        address = int(address)
        thing = self.objects.get(address >> SHIFT)
        at = (address & MASK) - BIAS
        if thing is None or thing.kind == "function" or at < 0 or at + size > thing.size or not thing.live:
            raise self.fault(thing, address, at, int(size), site, verb)
        return thing, at

    def _unknown(self, address: Any, size: int, site: int, verb: str) -> UnknownAddress | None:
        """Pass an access whose address depends on inputs; None if the address is, or is to become, definite."""
        if type(address) is not SymbolicInt or self.places is None:
            return None
        return self.places.visit(address, size, site, verb)

    def hold_writable(self, thing: MemoryObject, size: int, site: int) -> None:
        """Find a fault where a constant is written."""
        if thing.is_constant:
            raise ProgramFault("write to a constant", f"writes {size} byte(s) of {thing.name}, a constant", site)

    def fault(self, thing: MemoryObject | None, address: int, at: int, size: int, site: int, verb: str) -> ProgramFault:
        """The fault of an access that no live object has room for."""
        run = self.run
        if thing is not None and not (thing.live or run.solo):  # in another order it may still be there
            if not thing.is_shared:
                self.owned.share(thing, for_certain=True)
            run.sharing.touch(run.current.index, _READ, thing.life, site, site in run.points)
        if address < 4096:
            return ProgramFault("null pointer", f"{verb} {size} byte(s) at a null pointer ({address:#x})", site)
        if thing is None or thing.kind == "function":
            return ProgramFault("invalid pointer", f"{verb} {size} byte(s) at {address:#x}, where no object is", site)
        if not thing.live:
            how = "use after free" if thing.kind == "heap" else "use after return"
            owner = "thread has ended" if thing.kind == THREAD else "function has returned"
            end = "has been freed" if thing.kind == "heap" else f"is gone, since its {owner}"
            return ProgramFault(how, f"{verb} {size} byte(s) of {thing.name}, which {end}", site)
        return ProgramFault(
            "out of bounds",
            f"{verb} {size} byte(s) at offset {at} of {thing.name}, which has {thing.size} byte(s)",
            site,
        )

    # -- accesses -----------------------------------------------------------------------------------------------------

    def visit(self, op: Op, thing: MemoryObject, at: int, size: int, site: int, point: bool | None = None) -> None:
        """Pass an access as a visible operation, unless its object is owned."""
        if not thing.is_shared and self.is_owned(thing, op, at, size, site):
            if not self.has_all_steps:
                return
            point = False
        run = self.run
        cells = thing.layout.cells(at, size)
        more = further(op, cells) if len(cells) > 1 else ()
        if alive := self._alive(thing):
            more = (*more, alive)
        if run.detail:
            width = int(cells[1][2]) - at if len(cells) > 1 else size
            if cells[0] not in run.names and not run.keyed:
                for cell in cells:
                    run.names[cell] = self.name_of(cell)
            self.step(op, cells[0], site, lambda: self.show(thing, at, width), more, point)
        elif self.section.depth:
            self.step(op, cells[0], site, None, more, point)
        else:
            run.visit(op, cells[0], site, None, more, point)
        if not thing.live:  # other threads have moved meanwhile
            raise self.fault(thing, thing.base, at, size, site, "reads" if op is _READ else "writes")

    def is_owned(self, thing: MemoryObject, op: Op, at: int, size: int, site: int) -> bool:
        """Whether an object that has been owned so far still is with this access, which then is no step, or no point.
        Each access of an atomic section is one: other threads may move before the first, and see those before it."""
        if self.section.depth:
            self.owned.share(thing)
            return False
        return self.owned.holds(thing, op, at, size, site)

    def _ends_owned(self, thing: MemoryObject, site: int) -> bool:
        """Whether an object that has been owned so far still is at its end."""
        use = thing.use
        if thing.kind != "heap" and (use is None or use.only == self.run.current.index):
            return True
        return self.is_owned(thing, _RMW, 0, 0, site)

    def _alive(self, thing: MemoryObject) -> Access | None:
        """The access by which a use of an object depends on its life; None if it can't end meanwhile."""
        if thing.owner != self.run.current.name:
            thing.is_foreign = True
            return Access(_READ, thing.life, _ALIVE) if thing.owner else None
        return Access(_READ, thing.life, _ALIVE) if thing.kind == "heap" else None

    def use(self, thing: MemoryObject, site: int) -> None:
        """Pass a use of an object that may end meanwhile, as a primitive that is in it."""
        is_owned = not (self.run.solo or thing.is_shared) and self.is_owned(thing, _READ, 0, 0, site)
        if self.run.solo or (is_owned and not self.has_all_steps):
            pass
        elif (alive := self._alive(thing)) is not None:
            self.step(alive.op, alive.target, site, None, point=False if is_owned else None)
        self.hold_alive(thing, site)

    def hold_alive(self, thing: MemoryObject, site: int) -> None:
        """Find a fault if an object has ended that is being used."""
        if not thing.live:
            raise self.fault(thing, thing.base, 0, 1, site, "uses")

    def name_of(self, cell: Target) -> str:
        """A cell in words."""
        return f"{cell[1]}+{cell[2]}" if cell[2] else str(cell[1])

    def load(self, address: int, size: int, site: int) -> int:
        """Read an unsigned integer."""
        thing = self.objects.get(address >> SHIFT)
        at = (address & MASK) - BIAS
        if type(at) is not int or thing is None or at < 0 or at + size > thing.size or not thing.live:
            if (place := self._unknown(address, size, site, "reads")) is not None:
                place.hold_initialised(site)
                return place.read()
            thing, at = self.find(address, size, site, "reads")
        if not (self.run.solo or thing.is_constant):
            self.visit(_READ, thing, at, size, site)
        if thing.shadow is not None and not any(thing.shadow[at : at + size]):
            raise ProgramFault("uninitialised read", f"reads {size} byte(s) at offset {at} of {thing.name}", site)
        value = int.from_bytes(thing.data[at : at + size], "little")
        return value if thing.unknown is None else thing.unknown.number(at, size, value)

    def move(self, address: int, size: int, site: int) -> int:
        """Read an unsigned integer that is only copied, or of which bits are only set: it need not be initialised."""
        if (place := self._unknown(address, size, site, "reads")) is not None:
            return place.read()
        thing, at = self.find(address, size, site, "reads")
        if not (self.run.solo or thing.is_constant):
            self.visit(_READ, thing, at, size, site)
        value = int.from_bytes(thing.data[at : at + size], "little")
        return value if thing.unknown is None else thing.unknown.number(at, size, value)

    def store(self, address: int, size: int, value: Any, site: int) -> None:
        """Write an unsigned integer."""
        thing = self.objects.get(address >> SHIFT)
        at = (address & MASK) - BIAS
        if (
            type(at) is not int
            or thing is None
            or at < 0
            or at + size > thing.size
            or not thing.live
            or thing.is_constant
        ):
            if (place := self._unknown(address, size, site, "writes")) is not None:
                place.write(value)
                return
            thing, at = self.find(address, size, site, "writes")
            self.hold_writable(thing, size, site)
        if not self.run.solo:
            if self.model is not MemoryModel.SC and not self.section.depth:
                self._hold_back(thing, at, size)
            self.visit(_WRITE, thing, at, size, site)
        if self.section.depth:
            self.section.keep(thing, at, size)
        if thing.shadow is not None:
            thing.shadow[at : at + size] = b"\1" * size
        if thing.unknown is not None or type(value) is SymbolicInt:
            value = thing.note(at, size, value)
        thing.data[at : at + size] = value.to_bytes(size, "little")

    def _hold_back(self, thing: MemoryObject, at: int, size: int) -> None:
        """Let a store be late; one of several locations is not, as far as others may notice."""
        is_foreign = thing.is_foreign or thing.owner != self.run.current.name or thing.kind == "heap"
        if is_foreign and len(thing.layout.cells(at, size)) > 1:
            self.run.untracked[_WIDE] = self.run.untracked.get(_WIDE, 0) + 1
        self.run.hold_back(MemorySlot(thing, at, size))

    def take(self, address: int, size: int, site: int, *, initialised: bool = True) -> SymbolicBytes:
        """Read bytes as they are; ``initialised`` is whether they have to have values."""
        if not size:
            return SymbolicBytes()
        thing, at = self.find(address, size, site, "reads")
        if cuts := self._cuts(thing, at, size, site):
            parts = [
                self.take(address + cut, end - cut, site, initialised=initialised) for cut, end in _parts(cuts, size)
            ]
            return functools.reduce(SymbolicBytes.__add__, parts)
        if not (self.run.solo or thing.is_constant):
            self.visit(_READ, thing, at, size, site)
        if initialised and thing.shadow is not None and not all(thing.shadow[at : at + size]):
            raise ProgramFault("uninitialised read", f"reads {size} byte(s) at offset {at} of {thing.name}", site)
        return thing.part(at, size)

    def read(self, address: int, size: int, site: int, *, initialised: bool = True) -> bytes:
        """Read bytes, which become definite."""
        return self.take(address, size, site, initialised=initialised).definite()

    def peek(self, address: int, size: int) -> bytes:
        """The bytes at an address, read without a step; fewer where the object ends, none where there is none."""
        thing = self.objects.get(address >> SHIFT)
        at = (address & MASK) - BIAS
        return bytes(thing.data[at : at + size]) if thing is not None and at >= 0 else b""

    def write(self, address: int, content: bytes | SymbolicBytes, site: int, shadow: bytes | None = None) -> None:
        """Write bytes; ``shadow`` says which of them are initialised (None: all)."""
        size = len(content)
        if not size:
            return
        thing, at = self.find(address, size, site, "writes")
        self.hold_writable(thing, size, site)
        if cuts := self._cuts(thing, at, size, site):
            for cut, end in _parts(cuts, size):
                self.write(address + cut, content[cut:end], site, None if shadow is None else shadow[cut:end])
            return
        if not self.run.solo:
            if self.model is not MemoryModel.SC and not self.section.depth:
                self.run.hold_back(MemorySlot(thing, at, size))
            self.visit(_WRITE, thing, at, size, site)
        if self.section.depth:
            self.section.keep(thing, at, size)
        if thing.shadow is not None:
            thing.shadow[at : at + size] = b"\1" * size if shadow is None else shadow
        thing.put(at, content)

    def copy(self, to: int, source: int, size: int, site: int) -> None:
        """``memmove``: bytes that are not initialised stay so."""
        if not size:
            return
        thing, at = self.find(source, size, site, "reads")
        if cuts := self._cuts_of_copy(thing, at, to, size, site):
            parts = _parts(cuts, size)
            for cut, end in reversed(parts) if source < to else parts:
                self.copy(to + cut, source + cut, end - cut, site)
            return
        content = self.take(source, size, site, initialised=False)
        shadow = bytes(thing.shadow[at : at + size]) if thing.shadow is not None else None
        self.write(to, content, site, shadow)

    def _cuts(self, thing: MemoryObject, at: int, size: int, site: int) -> list[int]:
        """The distances from the first byte at which the parts of an access begin; none if it is one step."""
        if size == 1 or self.run.solo or self.section.depth or thing.is_constant or not thing.is_shared:
            return []
        if self.model is not MemoryModel.SC:
            cells = thing.layout.cells(at, size)
            if len(cells) > _MOST_PARTS:
                self.run.untracked[_LONG] = self.run.untracked.get(_LONG, 0) + 1
                return []
            cuts = [0, *[int(cell[2]) - at for cell in cells[1:]]]
        else:
            cuts = words_of(at, size)
            if len(cuts) > 1 and mark_of_site(site) not in self.run.points:
                self.wide.add(site)
                return []
        return cuts if len(cuts) > 1 else []

    def _cuts_of_copy(self, thing: MemoryObject, at: int, to: int, size: int, site: int) -> list[int]:
        target, place = self.find(to, size, site, "writes")
        return sorted({*self._cuts(thing, at, size, site), *self._cuts(target, place, size, site)})

    def learn_parts(self, log: Sequence[Any]) -> None:
        """After an execution: note the accesses that are to be made in parts."""
        if self.wide:
            self.run.sharing.learn([mark_of_site(site) for site in unprotected(log, self.wide)])

    def text(self, address: int, site: int, most: int = _LONGEST) -> bytes:
        """The text that ends with a zero byte, at most so many bytes, read in one step. It becomes definite."""
        return self.text_as_is(address, site, most).definite()

    def text_as_is(self, address: int, site: int, most: int = _LONGEST) -> SymbolicBytes:
        """Such a text, of which the length becomes definite."""
        content = self.until(address, 0, site, most)
        end = content.find(0)
        return content if end < 0 else content[:end]

    def until(self, address: int, end: int, site: int, most: int) -> SymbolicBytes:
        """The bytes up to the first one that is ``end``, or ``most`` bytes, which are 1 or more, read in one step.
        Whether an unknown byte is the end is a condition of the path.

        While the thread stands before the step others may change where the end is; the bytes are read again then.
        """
        while True:
            thing, at = self.find(address, 1, site, "reads")
            size = thing.find(end, at, most) + 1
            if not size:
                size = most
                if at + most > thing.size:
                    words = f"reads a text at offset {at} of {thing.name}, which has no end"
                    raise ProgramFault("out of bounds", words, site)
            content = self.take(address, size, site)
            found = content.find(end)
            if found == size - 1 or (found < 0 and size == most):
                return content

    # -- atomic operations --------------------------------------------------------------------------------------------

    def _atomic(self, address: int, size: int, site: int, verb: str) -> tuple[MemoryObject, int, tuple[Target, ...]]:
        thing, at = self.find(address, size, site, verb)
        if verb != "reads":
            self.hold_writable(thing, size, site)
        if not (thing.is_shared or thing.is_constant or self.run.solo):
            self.owned.share(thing)
        cells = thing.layout.atomic_cells(at, size)
        if self.run.detail and not self.run.keyed:
            self.run.names.setdefault(cells[0], self.name_of(cells[0]))
        return thing, at, cells

    def _get(self, thing: MemoryObject, at: int, size: int, site: int) -> int:
        if not thing.live:
            raise self.fault(thing, thing.base, at, size, site, "accesses")
        if thing.shadow is not None and not all(thing.shadow[at : at + size]):
            raise ProgramFault("uninitialised read", f"reads {size} byte(s) at offset {at} of {thing.name}", site)
        value = int.from_bytes(thing.data[at : at + size], "little")
        return value if thing.unknown is None else thing.unknown.number(at, size, value)

    def put(self, thing: MemoryObject, at: int, size: int, value: Any, site: int = 0) -> None:
        """Set an unsigned integer without a step; ``site`` is that of an atomic operation."""
        if self.atomic_stores is not None:
            self.atomic_stores[thing.base, at] = self.run.current.name, site
        if self.section.depth:
            self.section.keep(thing, at, size)
        if thing.shadow is not None:
            thing.shadow[at : at + size] = b"\1" * size
        if thing.unknown is not None or type(value) is SymbolicInt:
            value = thing.note(at, size, value)
        thing.data[at : at + size] = value.to_bytes(size, "little")

    def atomic_load(self, address: int, size: int, site: int) -> int:
        """An atomic load."""
        thing, at, cells = self._atomic(address, size, site, "reads")
        self._pass(_READ, thing, at, size, cells, site)
        return self._get(thing, at, size, site)

    def atomic_store(self, address: int, size: int, value: int, site: int, late: Late = Late.NOT) -> None:
        """An atomic store."""
        thing, at, cells = self._atomic(address, size, site, "writes")
        if late is not Late.NOT and not (self.run.solo or self.section.depth) and self.model is not MemoryModel.SC:
            self.run.hold_back(MemorySlot(thing, at, size), late is Late.IN_ORDER)
        self._pass(_WRITE, thing, at, size, cells, site)
        if not thing.live:
            raise self.fault(thing, thing.base, at, size, site, "writes")
        self.put(thing, at, size, value, site)

    def update(self, address: int, size: int, change: Callable[[int], int], site: int) -> int:
        """An indivisible update; returns the value before."""
        thing, at, cells = self._atomic(address, size, site, "changes")
        self._pass(_RMW, thing, at, size, cells, site)
        before = self._get(thing, at, size, site)
        self.put(thing, at, size, change(before), site)
        return before

    def replace(self, address: int, size: int, change: Callable[[int], int], site: int) -> int:
        """An indivisible update that may leave the value as it is, and then is a read: a thread that waits for a lock
        by such updates has no effect. Returns the value before."""
        thing, at, cells = self._atomic(address, size, site, "changes")
        if self._try(thing, at, size, cells, lambda before: change(before) != before, site):
            before = self._get(thing, at, size, site)
            self.put(thing, at, size, change(before), site)
            return before
        return self._get(thing, at, size, site)

    def exchange(self, address: int, size: int, old: int, new: int, site: int) -> tuple[int, bool]:
        """Compare and exchange; returns the value before, and whether it was ``old``, so that it is now ``new``."""
        thing, at, cells = self._atomic(address, size, site, "changes")
        done = self._try(thing, at, size, cells, lambda before: before == old, site)
        before = self._get(thing, at, size, site)
        if done:
            self.put(thing, at, size, new, site)
        return before, done

    def _try(
        self,
        thing: MemoryObject,
        at: int,
        size: int,
        cells: tuple[Target, ...],
        succeeds: Callable[[int], bool],
        site: int,
    ) -> bool:
        """Pass an update that takes place only if the value before it is such; otherwise it is a read. One of several
        cells is an update in any case, which may write the value before: so a step's accesses do not depend on it."""
        run = self.run
        if run.solo or len(cells) > 1:
            self._pass(_RMW, thing, at, size, cells, site)
            done = bool(succeeds(self._get(thing, at, size, site)))
            if not (done or run.solo):
                self.unchanged.add(len(run.log) - 1)
            return done
        alive = self._alive(thing)
        if self.section.depth:
            look = (lambda: self.show(thing, at, size)) if run.detail else None
            more = (alive,) if alive else ()
            self.step(_READ, cells[0], site, look, more, True)
            done = bool(succeeds(self._get(thing, at, size, site)))
            if done:
                self.step(_WRITE, cells[0], site, look)
            return done
        return run.attempt(
            _RMW,
            cells[0],
            lambda: bool(succeeds(self._get(thing, at, size, site))),
            (alive,) if alive else (),
            lambda: self.show(thing, at, size),
        )

    def _pass(self, op: Op, thing: MemoryObject, at: int, size: int, cells: tuple[Target, ...], site: int) -> None:
        run = self.run
        if not run.solo:
            look = (lambda: self.show(thing, at, size)) if run.detail else None
            more = further(op, cells)
            if alive := self._alive(thing):
                more = (*more, alive)
            self.step(op, cells[0], site, look, more, True)

    def content(self) -> int | None:
        """A hash of the bytes of all live objects that are no constants; None if they are many."""
        if len(self.objects) > _MANY:
            return None
        objects = [each for each in self.objects.values() if each.live and not each.is_constant]
        if sum(each.size for each in objects) > _LARGE:
            return None
        return hash(tuple([bytes(each.data) for each in objects]))

    # -- steps --------------------------------------------------------------------------------------------------------

    def pass_event(self, accesses: Sequence[Access], site: int) -> None:
        """Pass an event of a property as a step of its own, or as part of the step that an atomic section is."""
        own, *others = accesses
        self.step(own.op, own.target, site, None, tuple(others))

    def step(
        self,
        op: Op,
        target: Target,
        site: int,
        look: Callable[[], Any] | None,
        more: tuple[Access, ...] = (),
        point: bool | None = None,
    ) -> None:
        """Pass an access as a visible operation, or as part of the step that an atomic section is."""
        if self.section.depth:
            self.section.access(op, target, site, look, more)
        else:
            self.run.visit(op, target, site, look, more, point)


def _parts(cuts: list[int], size: int) -> list[tuple[int, int]]:
    """The parts of ``size`` bytes that begin at these distances: where each begins and ends."""
    return list(zip(cuts, (*cuts[1:], size), strict=True))
