"""Which executions of a C program are elided, and from which ones their threads' histories are learnt.

Learning costs about as much as executing. So it begins after some executions with the same points, and it is given up
for a while whenever few executions could be elided.

A thread's next step depends on its reads only if nothing else that differs between executions reaches the thread. So
no execution is elided any more (:class:`~mazurka.program.runtime.elision.histories.Unlearnable`) once an execution
has shown one of these: threads print, use functions of the C library that keep state, detach threads, or initialise
primitives; a pass of a loop may be held, which depends on the others; a thread reads a location that another thread
has made, and that no step has written; or a thread makes objects of several sizes at one place of its history. None
is elided for as long as :class:`OwnedUses` is in doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.memory_objects import MemoryObject, is_in_library
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, Run
from mazurka.program.runtime.elision.elided import LONGEST, Elider, can_elide
from mazurka.program.runtime.elision.histories import Histories, Unlearnable
from mazurka.program.runtime.lazy_run import LazyRun
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.settings import ProgramSettings
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, of_kinds

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: Executions with the same points before the first one is learnt.
BEFORE: Final = 50

#: So many executions are tried at a time; if fewer than a third of them are elided, none is tried for a while: for so
#: many executions the first time, and then for twice as many each time.
_TRIED: Final = 64
_PAUSE: Final = 256

#: The state of the machine that belongs to one thread each, whose index follows the name.
_OF_THREADS: Final = frozenset({"mask", "storage", "values", "handlers", "leaving"})

#: The types of state that can be compared with that at the first fork.
_PLAIN: Final = frozenset({int, str, bytes, tuple})

#: No execution is learnt any more once so many steps are known.
_MOST_STEPS: Final = 200_000

#: The most uses of one object.
_MOST: Final = 200


class ElidedExecutions:
    """The executions of one C program that are elided, and the knowledge that they are derived from."""

    def __init__(self, settings: ProgramSettings, before: int = BEFORE) -> None:
        is_plain = not (settings.races or settings.leaks or settings.properties or settings.records_events)
        is_plain = is_plain and settings.memory is MemoryModel.SC and settings.limits.steps > LONGEST
        self.elided = 0
        self._before = before
        self._is_possible = is_plain
        self._points: tuple[set[int], int] = (set(), -1)
        self._clear()

    def _clear(self) -> None:
        self._histories = Histories()
        self._elider = Elider(self._histories)
        self._owned = OwnedUses()
        self._layouts: dict[tuple[str, int], tuple[int, bool]] = {}
        self._shapes: dict[str, tuple[int, str, int]] = {}  # of objects by name: size, kind, mark
        self._wait, self._pause = self._before, _PAUSE  # executions before one is tried, now and after a vain attempt
        self._tried = self._succeeded = 0
        self._begun: tuple[int, dict[Any, Any]] = (0, {})  # at the first fork

    def execute(self, plan: Plan, points: set[int]) -> tuple[Run | None, bool]:
        """The record of an execution, if it is elided, and otherwise whether it is to be learnt."""
        if not self._is_possible or not can_elide(plan):
            return None, False
        if self._points[0] is not points or self._points[1] != len(points):
            self._points = (points, len(points))
            self._clear()
        if self._wait:
            self._wait -= 1
            return None, False
        if self._tried == _TRIED:
            if 3 * self._succeeded < _TRIED:
                self._wait, self._pause = self._pause, 2 * self._pause
            self._tried = self._succeeded = 0
        self._tried += 1
        if self._histories.may_share or self._owned.in_doubt:
            return None, True
        run = self._elider.execute(plan)
        if run is None:
            return None, self._histories.size < _MOST_STEPS
        self._succeeded += 1
        self.elided += 1
        return run, False

    def begin(self, machine: Machine, runtime: Runtime) -> None:
        """An execution begins that is to be learnt."""

        def at_first_fork(run: Runtime) -> None:
            self._begun = machine.memory.made.get("0", 0), dict(machine.state)

        runtime.on_first_fork, runtime.may_hold = at_first_fork, False

    def learn(self, machine: Machine, runtime: Runtime, run: LazyRun) -> None:
        """Learn from an execution that recorded keys; they are removed from its record."""
        failed = run.failures or run.truncated or run.divergence is not None or run.settled
        if failed or run.found_new_points or len(runtime.tasks) == 1:
            run.drop_values()
            return
        try:
            self._hold_learnable(machine, runtime, run)
            owners = self._owners(machine)
            entries = self._histories.learn(run, lambda thread, at: owners.get(at[1], thread) != thread)
            self._owned.learn(machine, runtime, entries)
        except Unlearnable:
            self._is_possible = False
            self._clear()
            run.drop_values()
        else:
            run.replace_entries(entries)

    def _hold_learnable(self, machine: Machine, runtime: Runtime, run: Run) -> None:
        """Raise :class:`Unlearnable` if more than steps may differ between executions."""
        differs = (
            runtime.may_hold
            or run.expired
            or run.limited
            or run.untracked
            or run.uncontrolled
            or run.assumed
            or machine.conditions.used
            or machine.output
            or machine.cancels
            or machine.threads.has_left
            or machine.threads.detached - machine.threads.joined
            or any(getattr(each, "maker", None) is not None for each in machine.threads.primitives.values())
        )
        if differs or not self._has_same_state(machine) or not self._has_same_layouts(machine):
            raise Unlearnable
        for number, thing in machine.memory.objects.items():
            if is_in_library(number) and not thing.is_constant:
                raise Unlearnable

    def _has_same_state(self, machine: Machine) -> bool:
        """Whether the state of the machine is that at the first fork, but for that of single threads."""
        before = self._begun[1]
        for name, value in machine.state.items():
            if type(name) is tuple and name[0] in _OF_THREADS and type(name[1]) is int:
                continue
            if type(value) in (list, dict):  # it may have changed since the first fork
                if value:
                    return False
            elif type(value) not in _PLAIN or before.get(name) != value:
                return False
        return True

    def _has_same_layouts(self, machine: Machine) -> bool:
        """Whether the objects are divided into locations as in the executions before."""
        known = self._layouts
        for layout in machine.memory.layouts.used:
            for word, division in layout.divisions().items():
                if known.setdefault((layout.name, word), division) != division:
                    return False
        return True

    def _owners(self, machine: Machine) -> dict[str, str]:
        """The threads that have made objects beside others, by the objects' names. An object of a name has to be the
        same in all executions: other threads may have its address."""
        made, found = self._begun[0], {}
        for thing in machine.memory.objects.values():
            if thing.owner and not (thing.owner == "0" and thing.serial <= made):
                found[thing.name] = thing.owner
                shape = thing.size, thing.kind, thing.mark
                if self._shapes.setdefault(thing.name, shape) != shape:
                    raise Unlearnable
        return found


_is_memory: Final = of_kinds(Kind.VARIABLE, Kind.ATOMIC, Kind.OBJECT)


class OwnedUses:
    """The accesses without steps (:mod:`.ownership`) of all executions together.

    In each execution any two of them that conflict are ordered by forks and joins. A derived execution might bring
    together two that none has had both of, and whose order is not known. It is ``in_doubt`` as long as there are such
    two, or an object of which some are and others are not steps.

    An access belongs to a part of a thread, between two of its forks and joins. The order of two parts depends on the
    forks and joins before them, by which parts are identified.
    """

    def __init__(self) -> None:
        self.in_doubt = False
        self._parts: dict[Any, int] = {}
        self._uses: dict[str, dict[tuple[int, str, bool, int, int], int]] = {}  # by object: accesses, numbered
        self._together: dict[str, set[tuple[int, int]]] = {}  # by object: accesses that one execution has had both of
        self._stepped: set[str] = set()  # objects
        self._doubtful: set[str] = set()

    def learn(self, machine: Machine, runtime: Runtime, entries: list[Any]) -> None:
        """Add the accesses of an execution with these steps."""
        parts: list[list[int]] | None = None
        for _, _, target, _, _, _, more in entries:
            self._stepped.update([each[1] for each in (target, *[other.target for other in more]) if _is_memory(each)])
        for thing in machine.memory.objects.values():
            if thing.use is None:
                continue
            if parts is None:
                parts = self._parts_of(runtime, entries)
            self._add(thing, runtime, parts)
        self.in_doubt = bool(self._doubtful) or not self._stepped.isdisjoint(self._uses)

    def _parts_of(self, runtime: Runtime, entries: list[Any]) -> list[list[int]]:
        """By thread: the numbers of its parts."""
        parts: list[list[int]] = [[] for _ in runtime.tasks]
        parts[0].append(self._part("main"))
        indexes = {task.name: task.index for task in runtime.tasks}
        for task, op, target, *_ in entries:
            if op is Op.FORK:
                started = parts[indexes[target[1]]]
                started.append(self._part((parts[task][-1], target[1])))
                parts[task].append(self._part((parts[task][-1], "fork", target[1])))
            elif op is Op.JOIN:
                parts[task].append(self._part((parts[task][-1], "join", parts[indexes[target[1]]][-1])))
        return parts

    def _part(self, key: Any) -> int:
        return self._parts.setdefault(key, len(self._parts))

    def _add(self, thing: MemoryObject, runtime: Runtime, parts: list[list[int]]) -> None:
        assert thing.use is not None
        known = self._uses.setdefault(thing.name, {})
        size = len(known)
        numbers = set()
        for index, time, op, at, length, _ in thing.use.accesses:
            if time >= len(parts[index]):
                raise Unlearnable
            key = (parts[index][time], runtime.tasks[index].name, op is not Op.READ, at, length)
            numbers.add(known.setdefault(key, len(known)))
        if len(known) > _MOST:
            raise Unlearnable
        together = self._together.setdefault(thing.name, set())
        if len({name for _, name, *_ in known}) == 1:
            return
        before = len(together)
        together.update([(one, other) for one in numbers for other in numbers if one < other])
        if size == len(known) and before == len(together):
            return
        accesses = list(known)
        self._doubtful.discard(thing.name)
        for one, first in enumerate(accesses):
            for other in range(one + 1, len(accesses)):
                if _conflict(first, accesses[other]) and (one, other) not in together:
                    self._doubtful.add(thing.name)
                    return


def _conflict(one: tuple[int, str, bool, int, int], other: tuple[int, str, bool, int, int]) -> bool:
    """Whether two accesses of an object are by two threads, touch the same bytes or its life, and one writes."""
    _, thread, writes, at, size = one
    _, thread2, writes2, at2, size2 = other
    if thread == thread2 or not (writes or writes2):
        return False
    return not size or not size2 or (at < at2 + size2 and at2 < at + size)
