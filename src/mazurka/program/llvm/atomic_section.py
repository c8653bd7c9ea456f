"""The atomic section that the running thread is in: its accesses are one step.

Other threads may move before the first access, and see nothing between it and the end of the section. Another access
is added to the step where another thread could tell: as the first that reads a location before a write, or as the first
that writes it. The values that are overwritten are kept, and put back where the section's assumption does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mazurka.program.llvm.memory_objects import MemoryObject, MemorySlot
from mazurka.program.protocol import Access
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, Target

#: The first access of an atomic section that has an event before any other.
_SECTION_BEGUN: Final[Target] = (Kind.HIDDEN.tag, "section")

#: Named as untracked.
_SECTION: Final = "accesses of an atomic section"


class AtomicSection:
    """The atomic section of an execution in progress. It serves one execution after another (:meth:`restart`)."""

    def __init__(self) -> None:
        self.run: Runtime = None  # type: ignore[assignment]  # set by restart()
        self.depth = 0  # sections that the running thread is in, one within the other
        self.steps: set[int] = set()  # of this execution: the steps that atomic sections are
        self.has_ended_objects = False  # which can't be taken back
        self._touched: dict[Target, int] | None = None  # by its step so far: 1 read, 2 written; None: no step yet
        self._before: list[tuple[MemorySlot, Any]] = []  # the values that it has overwritten, oldest first

    def restart(self, run: Runtime) -> None:
        """Begin an execution."""
        self.run = run
        self.leave()
        self.steps.clear()

    def begin(self) -> None:
        """From here on the running thread's accesses are one step, until as many sections have ended."""
        self.depth += 1

    def end(self) -> None:
        """See :meth:`begin`; no effect where there is no section."""
        self.depth = max(self.depth - 1, 0)
        if not self.depth:
            self.leave()

    def leave(self) -> None:
        """The running thread is in no section any more."""
        self.depth, self._touched, self.has_ended_objects = 0, None, False
        self._before.clear()

    def take_back(self) -> None:
        """The running thread stays within its section for ever, so that no other thread may see the section's writes:
        they are undone. Its step then writes values that were there before."""
        for slot, value in reversed(self._before):
            slot.put(value)
        if self.has_ended_objects:
            text = "memory freed in an atomic section whose assumption does not hold"
            self.run.untracked[text] = self.run.untracked.get(text, 0) + 1
        self.leave()

    def keep(self, thing: MemoryObject, at: int, size: int) -> None:
        """Keep the value of bytes that are about to be overwritten."""
        slot = MemorySlot(thing, at, size)
        self._before.append((slot, slot.look()))

    def has_step(self, site: int) -> bool:
        """Whether the running thread is in a section; that has an access then, as part of which an event may be
        recorded."""
        if not self.depth or self.run.solo:
            return False
        if self._touched is None:
            self.access(Op.READ, _SECTION_BEGUN, site, None)
        return True

    def access(
        self, op: Op, target: Target, site: int, look: Callable[[], Any] | None, more: tuple[Access, ...] = ()
    ) -> None:
        """Pass an access as part of the step that the section is."""
        if self._touched is None:
            self._begin_step(op, target, site, look, more)
        else:
            value = self.run.look_up(look) if look is not None else None
            self._widen((Access(op, target, value), *more))

    def _begin_step(
        self, op: Op, target: Target, site: int, look: Callable[[], Any] | None, more: tuple[Access, ...]
    ) -> None:
        depth, self.depth = self.depth, 0  # others may move before the step
        run, accesses = self.run, (Access(op, target), *more)
        run.drain(site)
        if site not in run.points:  # it is a point wherever it is executed, so that a schedule can be replayed
            run.sharing.learn((site,))
        for access in accesses:
            run.sharing.touch(run.current.index, access.op, access.target, site, True)
        run.visit(op, target, site, look, more, True)
        self.steps.add(len(run.log) - 1)
        self.depth, self._touched = depth, {}
        for access in accesses:
            self._touch(access)

    def _widen(self, accesses: Sequence[Access]) -> None:
        """Add accesses to the step of a section, where another thread could tell."""
        run, added = self.run, []
        for access in accesses:
            if self._touch(access):
                if WRITES[access.op]:
                    run.record_first(access.target, access.value)
                    access = access._replace(value=None)
                added.append(access)
        if added and not run.widen(added):
            run.untracked[_SECTION] = run.untracked.get(_SECTION, 0) + 1

    def _touch(self, access: Access) -> bool:
        """Note an access in a section; whether it is the first that reads before a write, or writes."""
        assert self._touched is not None
        before = self._touched.get(access.target, 0)
        now = before | (1 if READS[access.op] and not before & 2 else 0) | (2 if WRITES[access.op] else 0)
        self._touched[access.target] = now
        return now != before
