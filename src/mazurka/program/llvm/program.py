"""A C program behind the :class:`~mazurka.program.protocol.Program` protocol.

It is compiled to LLVM IR and translated to Python once; each execution begins with fresh memory, so that nothing has to
be put back. Every load and store, every operation of a primitive and every call into the library passes the shared
runtime, as for programs in other languages.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Final

from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.building import IR, ir_of
from mazurka.program.llvm.elision import ElidedExecutions
from mazurka.program.llvm.faults import ProcessExit, ProgramFault, ThreadExit, Thrown
from mazurka.program.llvm.ir.reading import read_module
from mazurka.program.llvm.known_paths import KnownPaths
from mazurka.program.llvm.leaks import leaks, leaks_at_exit
from mazurka.program.llvm.library.cplusplus import uncaught
from mazurka.program.llvm.library.exits import exit_process
from mazurka.program.llvm.library.primitives import ConditionWaiter, Mutex
from mazurka.program.llvm.library.registry import LIBRARY
from mazurka.program.llvm.library.threads import Threads
from mazurka.program.llvm.machine import GOING_ON, NATIVE_AFTER, Machine
from mazurka.program.llvm.memory_objects import SHIFT, STACK_SIZE, MemoryObject
from mazurka.program.llvm.preprocessed import is_made_for_32_bits, is_preprocessed, show_lines, word_of_32_bits
from mazurka.program.llvm.property_events import CEvents
from mazurka.program.llvm.sizes_of_32_bits import has_numbers_of_addresses
from mazurka.program.llvm.unknown_names import impossible_events
from mazurka.program.llvm.weak_races import are_weak, weak_races
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import LASSO, Failure, FailureKind, Frame, LearnsPoints, Plan, ProgramFacts, Run
from mazurka.program.races import races_of
from mazurka.program.runtime.property_monitors import PropertyMonitors, Reported, failure_of
from mazurka.program.runtime.recorded_events import EventRecorder, PropertyEventSink
from mazurka.program.runtime.relaxed import RelaxedRuntime
from mazurka.program.runtime.run_record import run_of
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.stuck import livelock, stuck
from mazurka.program.runtime.task import Learned, Task
from mazurka.program.settings import ProgramSettings
from mazurka.properties.monitor import Match
from mazurka.properties.property import Property
from mazurka.properties.registry import own
from mazurka.symbolic.values import PathConditions
from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber

#: An execution that is to be exported is made again, at most so often, when it finds new scheduling points.
_ATTEMPTS: Final = 4

#: Calls that may be nested beyond those that a stack has room for: those of ours.
_OUR_CALLS: Final = 1_000

#: The frames that a failure shows at most: the outermost and the innermost ones.
_OUTER, _INNER = 8, 56

#: The bytes of a pointer.
_POINTER: Final = 8


@dataclass
class CProgram(LearnsPoints):
    """A C program: a source file, the flags of the compiler, and the program's arguments."""

    path: str
    flags: tuple[str, ...]
    arguments: tuple[str, ...]
    settings: ProgramSettings
    others: tuple[str, ...] = ()  # files that are linked to it
    flags_of_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # before ``flags``
    native_after: float = NATIVE_AFTER  # passes of loops in all executions until native code is made
    paths: KnownPaths | None = None  # of the threads
    learned: Learned = field(default_factory=Learned)
    _leaks: list[Failure] = field(default_factory=list, init=False)  # of an execution whose process has ended by exit()
    _has_numbers: bool = field(default=False, init=False)  # of 64 bits that are addresses
    timing: float | None = None
    machine: Machine | None = None
    fingerprint: str = ""
    impossible: tuple[str, ...] = ()  # events of properties that can't happen

    def prepare(self) -> None:
        if self.machine is None:
            text = (
                ir_of((self.path, *self.others), self.flags, self.flags_of_files)
                if self.paths is None
                else self.paths.text
            )
            module = read_module(text, self.path)
            self._has_numbers = has_numbers_of_addresses(text)
            for each in filter(is_preprocessed, (self.path, *self.others)):
                show_lines(each)
            if "main" not in module.functions or not module.functions["main"].blocks:
                raise UsageError("no-main", "there is no function main() in it", where=self.path)
            self.fingerprint = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
            events = self._events() if self.settings.properties else None
            self.machine = Machine(
                module, self.path, self.settings.memory, LIBRARY, events, self.native_after, paths=self.paths
            )
            if self.settings.races and are_weak(self.machine.instructions.values()):
                self.machine.memory.atomic_stores = {}
            self.impossible = tuple(impossible_events(own(self.settings.properties), module))

    def _compiled(self) -> str:
        return ir_of((self.path, *self.others), self.flags, self.flags_of_files)

    def _events(self) -> CEvents:
        sink: PropertyEventSink = self._recorder
        if not self.settings.records_events:
            sink = PropertyMonitors(
                self.settings.properties,
                self._violated,
                lambda run, accesses, site: self._machine().memory.pass_event(accesses, site),
            )
        return CEvents(self.settings.properties, sink, lambda address: self._machine().place(address))

    @cached_property
    def _elided(self) -> ElidedExecutions:
        return ElidedExecutions(self.settings)

    @cached_property
    def _recorder(self) -> EventRecorder:
        return EventRecorder(lambda run, site: self._machine().memory.section.has_step(site))

    def _machine(self) -> Machine:
        assert self.machine is not None
        return self.machine

    def _violated(self, run: Runtime, stated: Property, reported: list[Reported], match: Match) -> None:
        """A property is violated: note the failure, and end the run."""
        frames = _frames(self._machine().frames())
        run.failures.append(failure_of(run, stated, reported, match, self._machine().location, frames))
        run.stop()

    def execute(self, plan: Plan) -> Run:
        self.prepare()
        machine = self.machine
        assert machine is not None
        if plan.timing is None and self.timing is not None:
            plan = plan._replace(timing=self.timing)
        found, is_learnt = (None, False) if self.paths else self._elided.execute(plan, self.learned.points)
        if found is not None:
            return found
        if is_learnt:
            plan = plan._replace(keys=True)
        memory, limits = self.settings.memory, self.settings.limits
        runtime = (
            Runtime(plan, self.learned, limits)
            if memory is MemoryModel.SC
            else RelaxedRuntime(plan, self.learned, limits, memory)
        )
        cuts_off = plan.values and LASSO not in plan.prefix  # a thread that goes round is known by its steps
        machine.restart(runtime, has_all_steps=cuts_off)
        if is_learnt:
            self._elided.begin(machine, runtime)
        machine.conditions = runtime.conditions = PathConditions(
            {**self.inputs, **dict(plan.inputs)}, place=runtime.place, drawn=plan.drawn
        )
        machine.threads = Threads(machine)
        self._leaks = []
        machine.memory.show = _keys(machine) if runtime.keyed else _words(machine)
        runtime.on_error = self._failure
        runtime.on_stuck = self._stuck
        runtime.on_round = lambda run, points: None if machine.is_broken else livelock(run, points, self.location)
        if plan.detail:
            runtime.snapshot_stack = machine.frames
            runtime.on_use = _name_primitive
        depth = sys.getrecursionlimit()
        sys.setrecursionlimit(max(depth, STACK_SIZE // machine.least_frame() + _OUR_CALLS))
        try:
            runtime.run(lambda: self._main(machine))
        finally:
            sys.setrecursionlimit(depth)
        if runtime.truncated or runtime.settled:
            machine.memory.owned.end_run(list(machine.memory.objects.values()))
        if machine.events is not None:
            self._count_missed(machine.events, runtime)
        run = run_of(runtime, _frames)
        machine.memory.learn_parts(run.log)
        run.found_new_points = runtime.sharing.found_new_points
        run.output = b"".join(machine.output).decode(errors="replace")
        if machine.events is not None:
            run.reached = machine.events.reached()
        if self.settings.records_events:
            run.events = tuple(self._recorder.events)
        if self.settings.leaks and not (run.found_new_points or run.failures or run.truncated):
            run.failures += leaks(machine, len(run.log)) if machine.threads.has_left else self._leaks
        if self.settings.races and not run.found_new_points:
            run.failures += self._races(machine, run)
        if is_learnt:
            self._elided.learn(machine, runtime, run)
        return run

    def _races(self, machine: Machine, run: Run) -> Iterator[Failure]:
        sections = machine.memory.section.steps
        is_sc = self.settings.memory is MemoryModel.SC
        weak = (
            weak_races(
                run.log,
                machine.instructions,
                machine.fences,
                sections,
                machine.memory.unchanged,
                machine.failed_attempts,
            )
            if is_sc
            else ()
        )
        return races_of(run, self.location, weak, sections)

    def _count_missed(self, events: CEvents, runtime: Runtime) -> None:
        """Count the events that may not have been seen."""
        if self.settings.memory is not MemoryModel.SC:
            events.uncertain(runtime, "events of properties under TSO or PSO")
        optimised = any(each.startswith("-O") and each != "-O0" for each in self.flags)
        if events.watches_fields and (optimised or self.path.endswith(IR)):
            events.uncertain(runtime, "accesses of fields in code that may have been optimised")

    def _main(self, machine: Machine) -> None:
        run = machine.run
        main = run.current
        function = machine.module.functions["main"]
        given = self._given(machine) if function.parameters else ()
        for each in machine.constructors():
            machine.call(each, 0)
        try:
            status = machine.namespace["f_main"](*given[: len(function.parameters)]) or 0
        except ThreadExit:
            machine.threads.has_left = main.keeps = True
            for task in run.live:
                run.required += not task.required
                task.required = True
            machine.threads.live(lambda: machine.threads.end(main))
            return
        if not run.aborting:
            exit_process(machine, 0, int(status))

    def _given(self, machine: Machine) -> tuple[int, ...]:
        """``argc`` and ``argv``."""
        memory = machine.memory
        texts = [each.encode() + b"\0" for each in (self.path, *self.arguments)]
        places = [memory.allocate(len(text), "global", "argument", text).address for text in texts]
        table = b"".join(place.to_bytes(8, "little") for place in (*places, 0))
        array = memory.allocate(len(table), "global", "argv", table).address
        none = machine.environment or memory.allocate(8, "global", "environ", bytes(8)).address
        return len(texts), array, none

    # -- failures -----------------------------------------------------------------------------------------------------

    def _failure(self, run: Runtime, task: Task, error: BaseException) -> Failure | None:
        """The failure for an exception that ended a thread; None if it is none."""
        machine = self.machine
        assert machine is not None
        if isinstance(error, ProcessExit):
            return self._exit(machine, run, task, error)
        frames = _traceback(machine, error)
        machine.is_broken = True
        if isinstance(error, Thrown):
            error = uncaught(machine, error)
        if isinstance(error, RecursionError) and (overflow := machine.deepest_call(error)) is not None:
            error = overflow
        if isinstance(error, RecursionError):
            where = frames[-1].location if frames else self.path
            run.truncated = run.truncated or f"the run was cut: it calls functions nested too deep, at {where}"
            return None
        if not isinstance(error, ProgramFault):
            where = frames[-1].location if frames else self.path
            run.truncated = run.truncated or f"the run was cut by a fault of Mazurka, at {where}: {error!r}"
            return None
        location = machine.location(error.site) or (frames[-1].location if frames else None)
        text = f"{error.name}: {error.message}" if error.kind is FailureKind.EXCEPTION else error.message
        return Failure(error.kind, text, task.name, location, error.name, frames, step=len(run.log))

    def _exit(self, machine: Machine, run: Runtime, task: Task, error: ProcessExit) -> Failure | None:
        """The process ends."""
        if not error.status:
            if self.settings.leaks:
                self._leaks = leaks_at_exit(machine, task)
            return None
        frames = _traceback(machine, error)
        location = frames[-1].location if frames else None
        message = f"the program exits with {error.status}"
        return Failure(FailureKind.EXIT, message, task.name, location, "exit", frames, step=len(run.log))

    def _stuck(self, run: Runtime, tasks: list[Task]) -> Failure | None:
        machine = self.machine
        assert machine is not None
        if machine.is_broken:
            return None  # threads may wait for one that has ended by a fault
        return stuck(run, tasks, _Words(machine), with_daemons=True)

    def exported(self, plan: Plan, failure: Failure) -> str:
        """See :class:`~mazurka.program.protocol.Exports`."""
        from mazurka.program.llvm.export.exporting import exported, refused

        if self.settings.memory is not MemoryModel.SC:
            raise refused("its stores arrive late, which semaphores can't force")
        if self.inputs:
            raise refused("it has unknown inputs")
        module = read_module(self._compiled(), self.path)
        before = self.machine
        self.machine = Machine(module, self.path, self.settings.memory, LIBRARY, counts_steps=True)
        try:
            for _ in range(_ATTEMPTS):
                run = self.execute(plan)
                fails = failure.identity in [each.identity for each in run.failures]
                if fails or not run.found_new_points:
                    break
            if not fails:
                raise refused("it does not fail again")
            return exported(module, run, self.machine.steps, failure, (self.path, *self.arguments))
        finally:
            self.machine = before

    # -- the protocol -------------------------------------------------------------------------------------------------

    def identity(self) -> str:
        self.prepare()
        return self.fingerprint

    def location(self, site: SiteNumber) -> Location | None:
        return self.machine.location(site) if self.machine is not None else None

    def facts(self) -> ProgramFacts:
        notes = []
        if self.machine is not None and self.machine.missing:
            notes.append(f"nothing is known of these functions: {', '.join(sorted(self.machine.missing))}")
        if self.machine is not None and (places := self.machine.memory.places) is not None and places.branched:
            found = [place for site in sorted(places.branched) if (place := self.machine.location(site)) is not None]
            shown = ", ".join(dict.fromkeys(f"{place.file}:{place.line}" for place in found))
            notes.append(f"each value of an unknown address is a path of its own, of those in {shown}")
        return ProgramFacts(
            isolation="fresh memory",
            sources=tuple([(each, each) for each in (self.path, *self.others)]),
            untracked=(*self.impossible, *self._sizes()),
            notes=tuple(notes),
        )

    def _sizes(self) -> list[str]:
        """The files that are made for 32 bits, and may mean something else here."""
        files = [each for each in (self.path, *self.others) if is_made_for_32_bits(each)]
        words = {each: word_of_32_bits(each) or self._has_numbers * "an address as a number" for each in files}
        return [f"{word}, which is another one in the 32 bits of {path}" for path, word in words.items() if word]

    def without_threads(self) -> str | None:
        return None  # ``main`` was run: no other entry could have been meant

    def sites_of(self, file: str) -> Sequence[SiteNumber]:
        if self.machine is None:
            return ()
        return [
            SiteNumber(site)
            for site, place in enumerate(self.machine.locations)
            if place is not None and place.file == file
        ]

    def site_of(self, file: str, number: int) -> SiteNumber:
        found = self.sites_of(file)
        return found[number - 1] if 0 < number <= len(found) else SiteNumber(0)

    def sites_at(self, place: Location, name: str) -> frozenset[SiteNumber]:
        return frozenset(
            site
            for site in self.sites_of(place.file)
            if (found := self.location(site)) is not None and found.line == place.line
        )


def _keys(machine: Machine) -> Callable[[MemoryObject, int, int], Any]:
    """A function that gives the value of a location as a key. Keys tell apart all that a thread which reads the value
    may notice: also whether its bytes are initialised, and, since addresses do not depend on the sizes of objects, the
    size of the object at an address. Where atomic stores have several orderings, also the store that a value is of: it
    makes a difference to races."""
    objects, stores = machine.memory.objects, machine.memory.atomic_stores

    def key(thing: MemoryObject, at: int, size: int) -> Any:
        if stores and (store := stores.get((thing.base, at))) is not None:
            return (*value_key(thing, at, size), *store)
        return value_key(thing, at, size)

    def value_key(thing: MemoryObject, at: int, size: int) -> Any:
        value = int.from_bytes(thing.data[at : at + size], "little")
        if thing.unknown is not None and (parts := thing.unknown.key(at, size, value)):
            return ("symbolic", value, parts)
        if thing.shadow is not None and not all(known := thing.shadow[at : at + size]):
            return ("uninitialised", value, bytes(known))
        pointed = objects.get(value >> SHIFT) if size == _POINTER else None
        if pointed is not None and pointed.owner:
            return ("address", value, pointed.size, pointed.kind)
        return ("int", value)

    return key if stores is not None else value_key


def _words(machine: Machine) -> Callable[[MemoryObject, int, int], Any]:
    """A function that gives the value of a location in words: a signed number, or an address by name."""

    def words(thing: MemoryObject, at: int, size: int) -> str:
        if thing.shadow is not None and not all(thing.shadow[at : at + size]):
            return "uninitialised"
        value = int.from_bytes(thing.data[at : at + size], "little", signed=True)
        return machine.place(value) if size == 8 and value > 1 << 28 else str(value)

    return words


class _Words:
    """See :class:`mazurka.program.runtime.stuck.Words`."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def awaited(self, task: Task, tasks: list[Task]) -> str:
        return str(task.waiting_for.describe())  # type: ignore[union-attr]  # it is a primitive

    def location(self, task: Task) -> Location | None:
        return self._machine.location(task.pending[2]) if task.pending is not None else None

    def place(self, site: SiteNumber) -> Location | None:
        return self._machine.location(site)

    def held_since(self, task: Task) -> Location | None:
        awaited = task.waiting_for
        mutex = awaited.mutex if isinstance(awaited, ConditionWaiter) and awaited.notified else awaited
        return mutex.since if isinstance(mutex, Mutex) else None

    def frames(self, task: Task) -> tuple[Frame, ...]:
        place = self.location(task)
        return (Frame(place, _line(place)),) if place is not None else ()


def _name_primitive(run: Runtime, primitive: object) -> None:
    if isinstance(primitive, ConditionWaiter):
        run.names.setdefault(primitive.mutex.target, primitive.mutex.name)
        run.names.setdefault(primitive.condition.target, primitive.condition.name)
    elif primitive is not None and not isinstance(primitive, Task):
        run.names.setdefault(primitive.target, primitive.name)  # type: ignore[attr-defined]  # of library/threads.py


def _line(place: Location) -> str:
    return linecache.getline(place.file, place.line).strip()


def _frames(stack: Sequence[tuple[str, int, str]]) -> tuple[Frame, ...]:
    """The frames of a stack, which has the innermost first; outermost first."""
    found = [Location(file, line, 0, name) for file, line, name in reversed(stack)]
    return tuple(Frame(place, _line(place)) for place in found)


def _traceback(machine: Machine, error: BaseException) -> tuple[Frame, ...]:
    """The program's frames in a traceback, outermost first."""
    found: list[Location] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code is GOING_ON:
            found.pop()
        elif trace.tb_frame.f_globals is machine.namespace and code.co_name != "<lambda>":
            found.append(Location(code.co_filename, trace.tb_lineno, 0, code.co_name))
        trace = trace.tb_next
    if len(found) > _OUTER + _INNER:
        del found[_OUTER:-_INNER]
    return tuple(Frame(place, _line(place)) for place in found)
