"""The machine that runs translated functions: memory, functions by address, and the names that the functions use.

One machine serves all executions of a program, one after another. Invariant: between two executions it keeps nothing
but the translated functions and the initial contents of static objects.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Container, Mapping
from inspect import Parameter, signature
from math import inf
from types import CodeType, FrameType
from typing import Any, Final

from mazurka.errors import UsageError
from mazurka.program.llvm.c_library import CLibrary, LibraryFunction
from mazurka.program.llvm.expressions import bits_of, constant, elements_of
from mazurka.program.llvm.faults import ProgramFault, ThreadExit, Thrown
from mazurka.program.llvm.ir.debug import structure_name
from mazurka.program.llvm.ir.functions import instructions_of, least_frame
from mazurka.program.llvm.ir.jumps import SETJMP, split_after_setjmp
from mazurka.program.llvm.ir.module import GlobalVariable, Instruction, IrFunction, Module
from mazurka.program.llvm.ir.thread_locals import ask_for_copies
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import Float, Int, Pointer, Struct, Type
from mazurka.program.llvm.known_paths import KnownPaths
from mazurka.program.llvm.library.primitives import Semaphore
from mazurka.program.llvm.library.variables import C_VARIABLES, CPP_VARIABLES, ENVIRONMENTS, STREAM_SIZE, STREAMS
from mazurka.program.llvm.memory import Late, Memory
from mazurka.program.llvm.memory_objects import SHIFT, STACK, STACK_SIZE, MemoryObject
from mazurka.program.llvm.native.native_code import NativeCode
from mazurka.program.llvm.operations import (
    OPERATIONS,
    bits_double,
    bits_float,
    bits_half,
    bits_x86_fp80,
    no_value,
    single,
)
from mazurka.program.llvm.property_events import CEvents, WatchedMemory
from mazurka.program.llvm.translation import Translator, python_name
from mazurka.program.llvm.undeclared import ASSERTIONS, ASSUMPTIONS, NAMED_ASSERTIONS
from mazurka.program.llvm.unknown_places import UnknownPlaces
from mazurka.program.llvm.weak_races import ACCESSING, Fence
from mazurka.program.memory import MemoryModel
from mazurka.program.runtime.loops import begin_pass, leave
from mazurka.program.runtime.runtime import Runtime
from mazurka.symbolic.values import PathConditions, SymbolicInt
from mazurka.trace.event import Location

_BITS: Final[dict[str, Callable[[float], int]]] = {
    "half": bits_half,
    "float": bits_float,
    "double": bits_double,
    "x86_fp80": bits_x86_fp80,
}


class _LoopFrames:
    """See :class:`mazurka.program.runtime.loops.Frames`: a frame is the tuple of its variables."""

    def variables(self, frame: tuple[Any, ...]) -> tuple[Any, ...]:
        return frame

    def same(self, before: tuple[Any, ...] | None, now: tuple[Any, ...]) -> bool:
        return before == now

    def state(self, frame: tuple[Any, ...]) -> tuple[Any, ...]:
        return frame

    def prune(self, task: Any, frame: tuple[Any, ...]) -> None:
        task.loops.clear()


_FRAMES: Final = _LoopFrames()

#: Steps after which an execution may be one that goes round in loops for ever; passes in a row that begin in states
#: that were there before, after which it is cut; and states that are kept.
_LONG: Final = 4_000
_ROUNDS: Final = 500
_MOST_STATES: Final = 10_000

#: Native code is made after so many passes of loops in all executions, and used after so many in one of them.
NATIVE_AFTER: Final = 50_000
_WARM: Final = 100


class Machine:
    """The machine for a module, with the functions of a C library."""

    def __init__(
        self,
        module: Module,
        path: str,
        model: MemoryModel,
        library: CLibrary,
        events: CEvents | None = None,
        native_after: float = NATIVE_AFTER,
        *,
        counts_steps: bool = False,
        paths: KnownPaths | None = None,
    ) -> None:
        self.module = module
        self.paths = paths
        self.library = library
        self.events = events
        self.steps: dict[int, list[int]] = {}  # by thread: the length of the log before each of its steps, if counted
        self._counts_steps = counts_steps
        self._watched = None if events is None else _Watched(events, module.field_names)
        self.path = path
        self.cancels = library.cancels in module.functions
        watches = events is not None and events.watches_memory
        self.memory = WatchedMemory(model, events) if watches and events is not None else Memory(model)
        if events is not None:
            events.attach(self.memory)
            self.memory.keeps_owned = False
        else:  # an event is about one location
            self.memory.places = UnknownPlaces(self.memory)
        self.run: Runtime = None  # type: ignore[assignment]  # set by restart()
        self.conditions = PathConditions()  # on unknown inputs; set for each execution
        self.threads: Any = None  # those of library/threads.py; set for each execution
        self.state: dict[Any, Any] = {}  # of the functions of the library, in one execution
        self.output: list[bytes] = []
        self.disk: dict[str, Any] = {}  # files of the machine, as they were at the first look (library/files.py)
        self.is_broken = False  # some thread has ended by a fault, or by an assumption that does not hold
        self.locations: list[Location | None] = [None]  # by site
        self.functions: dict[int, str] = {}  # by address
        self._results: dict[int, str] = {}  # by address: the types of their values
        self.streams: dict[int, int] = {}  # the standard ones by address: their descriptors
        self._addresses: dict[str, int] = {}
        self._shown: set[str] = set()  # the names that stand for mangled ones
        self.loops: dict[int, str] = {}  # the functions of loops, by their numbers
        self.names: dict[str, Mapping[str, str]] = {}  # the Python variables of functions that have loops
        self.native: NativeCode | None = None  # made when it is needed
        self._native_after = native_after if events is None and not counts_steps and paths is None else inf
        self._passes = 0  # of loops, in all executions before
        self._warm = inf  # passes of this execution after which native code is used
        self._sites: dict[int, int] = {}  # by the identity of an instruction
        self.instructions: dict[int, Instruction] = {}  # by site: those that access memory themselves
        self.fences: list[Fence] = []  # of this execution
        self.failed_attempts: set[int] = set()  # the steps of this execution that are attempts which fail
        self.allocated: list[tuple[MemoryObject, int]] = []  # by malloc and its like, with the sites
        self.environment = 0  # where its variables are listed, if the program looks at them itself
        self._constructors: list[int] | None = None  # found when they are asked for
        self._destructors: list[int] | None = None
        self.frame_sizes: dict[CodeType, int] = {}  # the bytes that a call takes on the stack at least
        self._frames_of_callers: set[int] = set()
        self._calls = 0  # by address that are being made
        self._activations = 0
        self._rounds = 0  # passes of loops in succession that began in states that were there before
        self._states: set[Any] = set()
        self.missing: set[str] = set()  # functions that are called and nowhere defined
        self.namespace: dict[str, Any] = {}
        self._fill_namespace()
        self._lay_out()
        self._translate()

    # -- getting ready ------------------------------------------------------------------------------------------------

    def _fill_namespace(self) -> None:
        memory = self.memory
        self.namespace.update(OPERATIONS)
        self.namespace.update(
            load=memory.load,
            move=memory.move,
            store=memory.store,
            atomic_load=memory.atomic_load,
            atomic_store=memory.atomic_store,
            release_store=functools.partial(memory.atomic_store, late=Late.IN_ORDER),
            relaxed_store=functools.partial(memory.atomic_store, late=Late.ANY),
            update=memory.update,
            replace=memory.replace,
            exchange=memory.exchange,
            fence=self._fence,
            alloca=self._alloca,
            copied=self._copied,
            let_go=self._let_go,
            call=self.call,
            call_for=self.call_for,
            head=self._head,
            count=self._count,
            left=self._left,
            go_on=self._go_on,
            activation=self._activation,
            library=_Bound(self),
            called=self._called,
            step=self._step,
            Thrown=Thrown,
            ThreadExit=ThreadExit,
            **self.library.names(self),
        )
        if self.events is not None:
            self.namespace["field"] = self.events.field
        if self.paths is not None:
            self.namespace["entered"] = self.paths.entered

    def _lay_out(self) -> None:
        memory = self.memory
        for function in self.module.functions.values():
            address = memory.add_static(function.name, 1, "function")
            self._addresses[function.name] = address
            self.functions[address] = function.name
            self._results[address] = str(function.result)
            memory.set_static(address, b"\0")
        for each in self.module.globals.values():
            kind = "constant" if each.constant else "global"
            size = CPP_VARIABLES.get(each.name, each.type.size)
            self._addresses[each.name] = memory.add_static(self._shown_name(each), size, kind)
            if self.events is not None and not each.constant:
                self.events.add_static(self._addresses[each.name], each.name, each.type, self.module.field_names)
        for each in self.module.globals.values():
            content = bytearray(CPP_VARIABLES.get(each.name, each.type.size))
            if each.initial is not None:
                _fill(content, 0, each.type, constant(each.initial, self.address))
            elif each.name in C_VARIABLES:
                content[:] = self._first_value(each.name).to_bytes(len(content), "little")
            elif each.name not in CPP_VARIABLES:
                raise UsageError("undefined-symbol", f"the variable {each.name} is defined nowhere", where=self.path)
            memory.set_static(self._addresses[each.name], bytes(content))

    def _first_value(self, name: str) -> int:
        """The value of a variable of the C library at the beginning."""
        if name in STREAMS:
            address = self.memory.add_static(f"*{name}", STREAM_SIZE, "global")
            self.streams[address] = STREAMS.index(name)
            return address
        if name in ENVIRONMENTS:
            self.environment = self.environment or self.memory.add_static("environ", 8, "global")
            self.memory.set_static(self.environment, bytes(8))
            return self.environment
        if not name.startswith("program_invocation_"):
            return C_VARIABLES[name]
        text = (os.path.basename(self.path) if "short" in name else self.path).encode() + b"\0"
        address = self.memory.add_static(f"*{name}", len(text), "global")
        self.memory.set_static(address, text)
        return address

    def _shown_name(self, variable: GlobalVariable) -> str:
        """The source's name of a variable whose own is mangled, unless another one has it."""
        shown = variable.shown_name
        taken = shown in self._shown or shown in self.module.globals or shown in self.module.functions
        if taken or not shown or not variable.name.startswith("_Z"):
            return variable.name
        self._shown.add(shown)
        return shown

    def address(self, name: str) -> int:
        """The address of a global variable or function."""
        found = self._addresses.get(name)
        if found is None:
            alias = self.module.aliases.get(name)
            if alias is None:
                raise Unsupported(f"the symbol {name}")
            found = self._addresses[name] = int(constant(alias, self.address))
        return found

    def _translate(self) -> None:
        for function in self.module.functions.values():
            if not function.blocks:
                continue
            ask_for_copies(function, self.module)
            split_after_setjmp(function)
            for block in function.blocks:
                for each in block.instructions:
                    self._sites[id(each)] = len(self.locations)
                    if each.opcode in ACCESSING:
                        self.instructions[len(self.locations)] = each
                    self.locations.append(each.location)
            self._translate_one(function)

    def site_of(self, instruction: Instruction) -> int:
        """The site of an instruction."""
        return self._sites[id(instruction)]

    def is_plain(self, name: str) -> bool:
        """Whether a function is one of the program's that is called like any other."""
        return name not in OVERRIDDEN and not name.startswith(_ATOMIC)

    def _translate_one(self, function: IrFunction) -> None:
        try:
            translator = Translator(
                function,
                self.address,
                self.site_of,
                self.callee,
                self.definition,
                self._watched,
                counts_steps=self._counts_steps,
                number=None if self.paths is None else self.paths.number,
            )
            code = translator.compiled(self.namespace, python_name(function.name))
            self.frame_sizes[code] = least_frame(function)
            if any(each.opcode in ("call", "invoke") for each in instructions_of(function)):
                self._frames_of_callers.add(least_frame(function))
            if translator.loops.heads:
                self.loops.update((loop.number, function.name) for loop in translator.loops.heads.values())
                self.names[function.name] = translator.names
            if function.name.startswith(_ATOMIC):
                self.namespace[python_name(function.name)] = self._section(self.namespace[python_name(function.name)])
        except Unsupported as error:
            raise UsageError(
                "unsupported-llvm-ir", f"{function.name} has {error}, which is not supported", where=self.path
            ) from None

    def _section(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function during which no other thread moves."""

        def section(*arguments: Any) -> Any:
            if self.memory.section.depth > _MOST_CALLS:
                raise RecursionError
            self.memory.section.begin()
            try:
                return function(*arguments)
            finally:
                self.memory.section.end()

        return section

    def callee(self, name: str) -> str:
        """The expression for a function that is called by name."""
        function = self.definition(name)
        if function is not None:
            return python_name(function.name)
        known = self.library.canonical(name)
        if self.library.function(known) is None and known not in SETJMP:
            self.missing.add(name)
        return f"library[{known!r}]"

    def definition(self, name: str) -> IrFunction | None:
        """The function of the program that is called by a name; None if it is the library's."""
        if name in self.module.aliases and name not in self.module.functions:
            name = self.functions.get(self.address(name), name)
        function = self.module.functions.get(name)
        return None if name in OVERRIDDEN or function is None or not function.blocks else function

    # -- executions ---------------------------------------------------------------------------------------------------

    def restart(self, run: Runtime, *, has_all_steps: bool = False) -> None:
        """Begin an execution; see :meth:`Memory.restart`."""
        self._warm = self._next_warm()
        self.run = run
        self.memory.restart(run, has_all_steps=has_all_steps)
        if self.native is not None:
            self.native.restart()
        if self.events is not None:
            self.events.begin()
        if self.paths is not None:
            self.paths.begin(self)
        self.state.clear()
        self.output.clear()
        self.is_broken = False
        self.steps.clear()
        self.fences.clear()
        self.failed_attempts.clear()
        self.allocated.clear()
        self._calls = 0
        self._activations = 0
        self._rounds = 0
        self._states.clear()

    def shown_name(self, name: str) -> str:
        """The source's name of a function."""
        function = self.module.functions.get(name)
        return function.shown_name if function is not None else name

    def _next_warm(self) -> float:
        """The passes of the next execution after which native code is used: until it is made, those of all executions
        count."""
        if self.run is not None:
            self._passes += self.run.passes
        return max(self._native_after - self._passes, min(_WARM, self._native_after))

    def location(self, site: int) -> Location | None:
        """The location of a site."""
        return self.locations[site] if 0 <= site < len(self.locations) else None

    def constructors(self) -> list[int]:
        """The addresses of the functions that are called before ``main``, in order."""
        if self._constructors is None:
            self._constructors = self._listed("llvm.global_ctors")
        return self._constructors

    def destructors(self) -> list[int]:
        """The addresses of the functions that are called after ``main``, in order: the last one first."""
        if self._destructors is None:
            self._destructors = self._listed("llvm.global_dtors")[::-1]
        return self._destructors

    def _listed(self, name: str) -> list[int]:
        variable = self.module.globals.get(name)
        if variable is None or variable.initial is None:
            return []
        entries = constant(variable.initial, self.address) or []
        return [int(entry[1]) for entry in sorted(entries, key=lambda entry: int(entry[0] or 0))]

    def call(self, address: int, site: int, *arguments: Any) -> Any:
        """Call a function by its address."""
        name = self.functions.get(address)
        if name is None:
            raise ProgramFault("invalid call", f"calls {address:#x}, where no function is", site)
        function = self.module.functions[name]
        if self.events is not None and self.events.watches_call(name):
            types = tuple(type_ for _, type_ in function.parameters)
            values = tuple(map(self.events.shown, arguments, types))
            make = functools.partial(self._call, name, site, *arguments)
            return self.events.call(self.run, name, values, site, make, function.result)
        return self._call(name, site, *arguments)

    def call_for(self, type_: str, address: int, site: int, *arguments: Any) -> Any:
        """Call a function by its address, of which a value of this type is used."""
        value = self.call(address, site, *arguments)
        if value is None:
            no_value(self.functions[address], site)
        if self._results[address] != type_:
            return _converted(self.functions[address], type_, value, site)
        return value

    def _call(self, name: str, site: int, *arguments: Any) -> Any:
        function = self.module.functions[name]
        if name in OVERRIDDEN or not function.blocks:
            value = self.library_function(self.library.canonical(name))(self, site, *arguments)
            return _fitted(function.result, value)
        if len(arguments) < len(function.parameters):
            raise ProgramFault("invalid call", f"calls {name} with {len(arguments)} argument(s)", site)
        kinds = [str(kind) for _, kind in function.parameters]
        given = [_converted(name, kind, each, site) for each, kind in zip(arguments, kinds, strict=False)]
        more = arguments[len(given) :] if function.variadic else ()
        if self._calls > _MOST_CALLS:
            raise RecursionError
        self._calls += 1
        try:
            return self.namespace[python_name(name)](*given, *more)
        finally:
            self._calls -= 1

    def library_function(self, name: str) -> LibraryFunction:
        """The function of the library of a name; one that is missing ends the execution."""
        found = self.library.function(name)
        if found is not None:
            return self.library.points(name, found) if self.cancels else found

        def missing(machine: Machine, site: int, *arguments: Any) -> int:
            machine.run.stop(f"the run was cut: it calls {name}, of which nothing is known ({machine.location(site)})")
            return 0

        return missing

    def frames(self) -> list[tuple[str, int, str]]:
        """The frames of the running thread, innermost first: file, line, function."""
        found = []
        frame: FrameType | None = sys._getframe(1)
        is_same = False  # the next frame of the program is of the call that the last one goes on with
        while frame is not None:
            if frame.f_code is GOING_ON:
                is_same = True
            elif frame.f_globals is self.namespace and frame.f_code.co_name != "<lambda>":
                if not is_same:
                    found.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
                is_same = False
            frame = frame.f_back
        return found

    # -- called by translated functions -------------------------------------------------------------------------------

    def _called(
        self, name: str, number: int, site: int, function: Callable[..., Any], in_library: bool, *arguments: Any
    ) -> Any:
        """A call whose function may be in events of properties; ``number`` is that of its types."""
        events, watched = self.events, self._watched
        assert events is not None
        assert watched is not None
        types, result = watched.types[number]
        given = (site, *arguments) if in_library else arguments
        make = functools.partial(function, *given)
        return events.call(self.run, name, tuple(map(events.shown, arguments, types)), site, make, result)

    def _fence(self, ordering: str, site: int) -> None:
        run = self.run
        if not run.solo:
            self.fences.append((len(run.log), run.current.index, ordering))
        if ordering == "seq_cst":
            run.drain(site)
        elif self.memory.model is MemoryModel.PSO and ordering != "acquire":
            text = f"a fence that orders stores only ({ordering}), under PSO, at {self.location(site)}"
            run.untracked[text] = run.untracked.get(text, 0) + 1
            run.drain(site)

    def _step(self) -> None:
        """The running thread comes to an instruction that may be visible to others, once there are any."""
        if not self.run.solo:
            self.steps.setdefault(self.run.current.index, []).append(len(self.run.log))

    def _alloca(self, size: int, name: str, mine: list[MemoryObject], function: str = "", site: int = 0) -> int:
        index = self.run.current.index
        used = self.memory.stack_used[index] + int(size)
        if used > (most := self.threads.stack_sizes.get(index, STACK_SIZE)):
            raise self.stack_overflow(f"{name} has {int(size):,} bytes: with it,", used, most, site)
        made = self.memory.allocate(size, STACK, name, None, function)
        mine.append(made)
        return made.address

    def _copied(self, address: int, size: int, mine: list[MemoryObject], site: int) -> int:
        to = self._alloca(size, "argument", mine, "", site)
        self.memory.copy(to, address, size, site)
        return to

    def _let_go(self, mine: list[MemoryObject], site: int) -> None:
        if not self.run.aborting:
            for each in mine:
                self.memory.end(each, site)

    def least_frame(self) -> int:
        """The bytes that a call takes on the stack at least, of functions that call others."""
        return min(self._frames_of_callers, default=STACK_SIZE)

    def stack_overflow(self, reason: str, used: int, most: int, site: int) -> ProgramFault:
        """The fault of a thread that has no room for more calls, or for a variable."""
        name = self.run.current.name
        return ProgramFault(
            "stack overflow", f"{reason} thread {name} has at least {used:,} bytes on its stack of {most:,}", site
        )

    def deepest_call(self, error: RecursionError) -> ProgramFault | None:
        """The fault of calls that are nested as deep as an error shows; None if a thread's stack may have room for
        them."""
        used, trace, before = 0, error.__traceback__, None
        while trace is not None:
            code = trace.tb_frame.f_code
            if before is not GOING_ON:  # otherwise it goes on with a call that has been counted
                used += self.frame_sizes.get(code, 0)
            before, trace = code, trace.tb_next
        most = self.threads.stack_sizes.get(self.run.current.index, STACK_SIZE)
        return self.stack_overflow("calls are nested so deep:", used, most, 0) if used > most else None

    def _activation(self) -> int:
        self._activations += 1
        return self._activations

    def _head(self, number: int, activation: int, variables: tuple[Any, ...]) -> bool:
        run = self.run
        run.passed_loop()
        if not (run.solo or run.aborting or self.memory.section.depth):
            if self.conditions.used:
                variables = tuple([each.key if type(each) is SymbolicInt else each for each in variables])
            if len(run.log) + self.memory.owned.count > _LONG and not run.values:
                self._look_for_rounds(number, variables)
            self.memory.owned.begin_pass(run.current, self.memory.made.get(run.current.name, 0))
            begin_pass(run, (activation, number), variables, _FRAMES)
        return run.passes >= self._warm and self._is_hot(number)

    def _is_hot(self, loop: int) -> bool:
        """Whether native code is to be entered at the head of a loop."""
        if self.native is None:
            self.native = NativeCode(self)
            self.memory.on_end = self.native.forget
            self.namespace.update(pending=self.native.pending, enter=self.native.enter)
        return self.native.is_hot(loop)

    def _go_on(self, loop: int, variables: Mapping[str, Any]) -> Any:
        assert self.native is not None
        return self.native.go_on(loop, variables)

    def _look_for_rounds(self, number: int, variables: tuple[Any, ...]) -> None:
        """Cut a long execution whose passes of loops have begun in states of memory and variables that were there
        before, so often that it would hardly end. Executions whose passes are logged come to an end by themselves."""
        content = self.memory.content()
        counts = tuple([each.value for each in self.threads.primitives.values() if isinstance(each, Semaphore)])
        state = (self.run.current.index, number, variables, content, counts)
        if content is None:
            return
        if state not in self._states:
            if len(self._states) < _MOST_STATES:
                self._states.add(state)
            self._rounds = 0
            return
        self._rounds += 1
        if self._rounds > _ROUNDS:
            self.run.stop("the run was cut: its threads go round in loops")

    def _count(self, number: int, activation: int, variables: tuple[Any, ...]) -> bool:
        run = self.run
        run.passed_loop()
        return run.passes >= self._warm and self._is_hot(number)

    def _left(self, number: int, activation: int) -> None:
        task = self.run.current
        if task.loops:
            leave(task, (activation, number))

    def name_at(self, address: int) -> str:
        """The symbol at an address; "" if there is none."""
        return next((name for name, at in self._addresses.items() if at == address), "")

    def place(self, address: int) -> str:
        """An address in words: an object's name and an offset."""
        thing = self.memory.objects.get(address >> SHIFT)
        if thing is None:
            return f"{address:#x}"
        at = address - thing.address
        return f"&{thing.name}+{at}" if at else f"&{thing.name}"


#: The frame of this code stands between two frames of one call, of which only the inner one goes on.
GOING_ON: Final = Machine._go_on.__code__


class _Watched:
    """See :class:`mazurka.program.llvm.translation.Watched`."""

    def __init__(self, events: CEvents, field_names: Mapping[str, Mapping[int, str]]) -> None:
        self._events = events
        self._field_names = field_names
        self.types: list[tuple[tuple[Type, ...], Type]] = []

    def watched_call(self, name: str, types: tuple[Type, ...], result: Type) -> str:
        if not self._events.watches_call(name):
            return ""
        self.types.append((types, result))
        return f"{name!r}, {len(self.types) - 1}"

    def watched_field(self, structure: Struct, index: int) -> str:
        field = self._field_names.get(structure.name, {}).get(structure.offset(index), "")
        name = f"{structure_name(structure.name)}.{field}"
        return name if field and self._events.watches_variable(name) else ""


class _Bound:
    """The functions of the library, with the machine as their first argument."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._made: dict[str, LibraryFunction] = {}

    def __getitem__(self, name: str) -> LibraryFunction:
        found = self._made.get(name)
        if found is None:
            machine, function = self._machine, self._machine.library_function(name)
            unknown = TAKE_UNKNOWN.get(name, ())
            fewest, most = _counts_of_arguments(function)
            if machine.paths is not None:
                function = machine.paths.library_function(name, function)

            def found(site: int, *arguments: Any) -> Any:
                if machine.memory.section.depth and name in machine.library.stepping:
                    machine.run.stop(_WITHIN.format(name, machine.location(site)))
                if machine.conditions.used:
                    arguments = tuple(
                        [
                            int(each) if type(each) is SymbolicInt and at not in unknown else each
                            for at, each in enumerate(arguments)
                        ]
                    )
                try:
                    return function(machine, site, *arguments)
                except TypeError:  # it may not be declared
                    if fewest <= len(arguments) <= most:
                        raise
                    if len(arguments) < fewest:
                        text = f"calls {name} with {len(arguments)} argument(s)"
                        raise ProgramFault("invalid call", text, site) from None
                return function(machine, site, *arguments[: int(most)])

            self._made[name] = found
        return found


def _counts_of_arguments(function: LibraryFunction) -> tuple[int, float]:
    """The fewest arguments that a function of the library takes, without the machine and the site, and the most."""
    try:
        signature_ = signature(function)
    except ValueError:  # one of CPython's own in C
        return 0, inf
    given = [each for each in signature_.parameters.values() if each.kind is not Parameter.KEYWORD_ONLY]
    has_rest = any(each.kind is Parameter.VAR_POSITIONAL for each in given)
    fewest = sum(each.default is Parameter.empty and each.kind is not Parameter.VAR_POSITIONAL for each in given)
    return fewest - 2, inf if has_rest else len(given) - 2


#: The arguments of functions of the library that may depend on unknown inputs. All others become definite.
TAKE_UNKNOWN: Final[Mapping[str, Container[int]]] = {
    **dict.fromkeys((*ASSUMPTIONS, *ASSERTIONS, *NAMED_ASSERTIONS), (0,)),
    **dict.fromkeys(("putchar", "putc", "fputc", "ungetc"), (0,)),
    **dict.fromkeys(("memset", "llvm.memset", "__memset_chk"), (1,)),
    "printf": range(sys.maxsize),
}

#: Calls that CPython makes by recursion in C, of which its own stack has room for so many.
_MOST_CALLS: Final = 2_500

#: Functions that programs of SV-COMP define themselves, and that have a meaning of their own.
OVERRIDDEN: Final = frozenset(
    {"reach_error", "assume_abort_if_not", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"}
)

#: The beginning of names of functions of the program during which no other thread moves.
_ATOMIC: Final = "__VERIFIER_atomic_"

#: The end of a run in which a thread would have to wait, or end, within an atomic section.
_WITHIN: Final = "the run was cut: {} is called in an atomic section, at {}"


def _converted(name: str, type_: str, value: Any, site: int) -> Any:
    """A value that is passed to a function, or that it returns, where this type is expected: integers and pointers are
    registers, of which the lower bits count."""
    is_integer = type_ == "ptr" or type_[1:].isdigit()
    if is_integer is not isinstance(value, int | SymbolicInt):
        raise ProgramFault("invalid call", f"calls {name} as a function of other types", site)
    if not is_integer or type_ in ("ptr", "i64"):
        return value
    mask = (1 << int(type_[1:])) - 1
    return value & mask if type(value) is SymbolicInt or value > mask else value


def _fitted(type_: Type, value: Any) -> Any:
    """The result of a function of the library, as an unsigned integer or rounded."""
    if isinstance(type_, Int | Pointer):
        return None if value is None else value & ((1 << bits_of(type_)) - 1)
    return single(value) if isinstance(type_, Float) and type_.name == "float" else value


def _fill(content: bytearray, at: int, type_: Type, value: Any) -> None:
    """Write the value of a constant into memory."""
    if value is None:
        return
    if isinstance(value, bytes):
        content[at : at + len(value)] = value
    elif isinstance(value, list):
        for each, (offset, kind) in zip(value, elements_of(type_), strict=True):
            _fill(content, at + offset, kind, each)
    elif isinstance(type_, Float):
        bits = _BITS[type_.name](float(value))
        content[at : at + min(type_.size, 10)] = bits.to_bytes(min(type_.size, 10), "little")
    elif isinstance(type_, Int | Pointer):
        size = (type_.bits + 7) // 8 if isinstance(type_, Int) else 8
        content[at : at + size] = int(value).to_bytes(size, "little")
