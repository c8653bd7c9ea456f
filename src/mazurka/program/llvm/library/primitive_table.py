"""The primitives of one execution by their addresses: their first use, their initialisation and their end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.primitives import Primitive
from mazurka.program.llvm.memory_objects import MemoryObject
from mazurka.program.protocol import Access
from mazurka.program.runtime.concurrency import ends_known
from mazurka.program.runtime.task import LIFE_POINTS, RELEASE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: Stands for a primitive that has been destroyed.
DESTROYED: Final = "destroyed"

#: The bytes of a primitive that static initialisers set in any case.
_FIRST_WORD: Final = 4

P = TypeVar("P", bound="Primitive")


def life_of(name: str) -> Target:
    """The location of the life of a primitive."""
    return (ATOMIC, f"life of {name}")


class PrimitiveTable:
    """The primitives of one execution.

    A primitive's life is a location: written when it is initialised or destroyed beside threads that use it, and read
    by each use, in programs in which that happens.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.primitives: dict[int, Any] = {}  # by address, or DESTROYED

    def _used(self, address: int, site: int) -> MemoryObject:
        """The memory that the primitive at an address is in."""
        thing, _ = self.machine.memory.find(address, 1, site, "uses")
        self.machine.memory.use(thing, site)
        return thing

    def _name(self, address: int, thing: MemoryObject) -> str:
        at = address - thing.address
        return f"{thing.name}+{at}" if at else thing.name

    def hold(self, primitive: Primitive, site: int) -> None:
        """A thread has waited for a primitive, which may have been destroyed meanwhile, or its memory freed."""
        if primitive.place is not None:
            self.machine.memory.hold_alive(primitive.place, site)
            self._look_at_life(primitive.address, primitive.place, site)
            if self.primitives.get(primitive.address) == DESTROYED:
                raise self._destroyed(self._name(primitive.address, primitive.place), primitive.words, site)

    def known(self, address: int, kind: type[P], site: int, make: Callable[[str], P]) -> P:
        """The primitive at an address; made at its first use if it is initialised statically."""
        thing = self._used(address, site)
        self._look_at_life(address, thing, site)
        run, name = self.machine.run, self._name(address, thing)
        found = self.primitives.get(address)
        if found is None:
            self._hold_initialised(address, thing, kind.words, site)
            found = self._put(make(name), address, thing)
        if found == DESTROYED:
            raise self._destroyed(name, kind.words, site)
        if not isinstance(found, kind):
            raise ProgramFault("misuse of a primitive", f"uses {name} as a {kind.words}, which is something else", site)
        if found.maker not in (None, run.current.index):
            run.need_points(LIFE_POINTS)
        found.users.add(run.current.index)
        return found

    def _hold_initialised(self, address: int, thing: MemoryObject, words: str, site: int) -> None:
        """Find a fault if a primitive that no call has initialised is in memory that has no value."""
        at = address - thing.address
        if thing.shadow is not None and not any(thing.shadow[at : at + _FIRST_WORD]):
            name = self._name(address, thing)
            raise ProgramFault("misuse of a primitive", f"uses {name} as a {words}, which is not initialised", site)

    def not_initialised(self, words: str, site: int) -> Callable[[str], Any]:
        """Makes no primitive at its first use, which is a fault: static initialisers have none of its kind."""

        def make(name: str) -> Any:
            raise ProgramFault("misuse of a primitive", f"uses {name} as a {words}, which is not initialised", site)

        return make

    def _put(self, made: Any, address: int, thing: MemoryObject) -> Any:
        made.address, made.place = address, thing
        self.primitives[address] = made
        return made

    def _destroyed(self, name: str, words: str, site: int) -> ProgramFault:
        return ProgramFault("misuse of a primitive", f"uses {name} as a {words}, which has been destroyed", site)

    def initialise(self, address: int, site: int, make: Callable[[str], Any]) -> int:
        """A primitive is initialised."""
        thing = self._used(address, site)
        made = make(self._name(address, thing))
        self._change_life(address, thing, made, site)
        self._hold_unused(address, "initialises", site)
        self._put(made, address, thing)
        if not self.machine.run.solo:
            made.maker = self.machine.run.current.index
        return 0

    def add(self, address: int, make: Callable[[str], Any]) -> None:
        """Initialise a primitive that no other thread knows yet, without a step."""
        thing, _ = self.machine.memory.find(address, 1, 0, "uses")
        made = self._put(make(self._name(address, thing)), address, thing)
        if not self.machine.run.solo:
            made.maker = self.machine.run.current.index

    def destroy(self, address: int, site: int) -> int:
        """A primitive is destroyed."""
        thing = self._used(address, site)
        self._change_life(address, thing, self.primitives.get(address), site)
        self._hold_unused(address, "destroys", site)
        self.primitives[address] = DESTROYED
        return 0

    def _hold_unused(self, address: int, verb: str, site: int) -> None:
        """Find a fault if some thread has a primitive, or waits for it."""
        found = self.primitives.get(address)
        if isinstance(found, Primitive) and found.place is not None and (why := found.misused()):
            raise ProgramFault("misuse of a primitive", f"{verb} {self._name(address, found.place)}, {why}", site)

    def _life(self, address: int) -> tuple[str, str]:
        found = self.primitives.get(address)
        is_given = isinstance(found, Primitive) and found.maker is not None
        return ("str", found if isinstance(found, str) else "initialised" if is_given else "as it was")

    def _look_at_life(self, address: int, thing: MemoryObject, site: int) -> None:
        run = self.machine.run
        if LIFE_POINTS in run.points and not run.solo:
            self.machine.memory.step(Op.READ, life_of(self._name(address, thing)), site, lambda: self._life(address))

    def _change_life(self, address: int, thing: MemoryObject, primitive: Any, site: int) -> None:
        """A step before a primitive is initialised or destroyed, so that operations on it come before in some
        executions."""
        run = self.machine.run
        if run.solo or not isinstance(primitive, Primitive):
            return
        run.need_points(RELEASE_POINTS)
        _, ended = ends_known(run)
        found = self.primitives.get(address)
        users = found.users if isinstance(found, Primitive) else ()
        if any(index != run.current.index and index not in ended for index in users):
            run.need_points(LIFE_POINTS)
        if LIFE_POINTS in run.points:
            life = life_of(self._name(address, thing))
            self.machine.memory.step(
                Op.WRITE, life, site, lambda: self._life(address), (Access(Op.READ, primitive.target),)
            )
        else:
            run.visit(Op.READ, primitive.target, site, None, (), point=True)
