"""The native code of one program: when it is made, entered and left.

The two ways to run a program are one program: Python functions made from its LLVM IR, and native code of the same
functions for the parts between visible operations. Native code never calls Python. Before an instruction that is
visible to other threads, that fails, or that is not translated, it *leaves*: all its functions return, after each has
written down its variables, and the Python functions go on with that instruction. Hence no native function is ever on a
stack when threads are switched or an execution is cut, and every fault, location and limit is that of the Python way.

Native code may use registers, and memory that no other thread can see or change: while there is one thread all objects,
afterwards constants. Unknown inputs, atomic sections and properties are Python's alone.

A loop is *hot*, and its function is compiled with those that it calls, once executions have made many passes; it is
*cold* again when native code keeps leaving before it has made a few.

Invariant: an execution has the same steps, failures, passes and output whether native code is used in it or not.
Cost: three microseconds to enter and leave, besides the time of compiling.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, Final, Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.expressions import bits_of
from mazurka.program.llvm.ir.functions import instructions_of, least_frame, moved_in, promoted_in
from mazurka.program.llvm.ir.jumps import is_setjmp
from mazurka.program.llvm.ir.module import Instruction, IrFunction, Module, Symbol
from mazurka.program.llvm.ir.types import Float, Type, Void
from mazurka.program.llvm.loop_structure import LoopStructure
from mazurka.program.llvm.memory import Memory
from mazurka.program.llvm.memory_objects import SHIFT, MemoryObject
from mazurka.program.llvm.native.compiling import compiled
from mazurka.program.llvm.native.context import (
    ENTRY_SIZE,
    READ_ALONE,
    READ_ALWAYS,
    WRITE_ALONE,
    Context,
    Word,
    address_of,
    place_of,
)
from mazurka.program.llvm.native.emission import FunctionText
from mazurka.program.llvm.native.intrinsics import DECLARATIONS, FLOATS, INTEGERS
from mazurka.program.llvm.native.memory_access import accesses
from mazurka.program.llvm.native.resuming import ResumableTranslator
from mazurka.program.llvm.native.segments import CodeSegments, is_scalar
from mazurka.program.llvm.translation import python_name
from mazurka.program.runtime.runtime import Runtime
from mazurka.symbolic.values import PathConditions

#: Passes between two looks at the time.
_STRIDE: Final = 1 << 16

#: Calls that may be nested, and made, until native code leaves.
_DEEPEST: Final = 1_000
_FUEL: Final = 1 << 22

#: Functions of more instructions are not compiled.
_LARGEST: Final = 5_000

#: A loop is cold after so many entries in a row that have each brought fewer passes than that.
_CHANCES: Final = 64
_FEW: Final = 8

_ENTRY: Final = struct.Struct("<QQQII")
_WORD: Final = struct.Struct("<Q")


class Host(Protocol):
    """The machine whose functions are compiled, as native code sees it."""

    module: Module
    memory: Memory
    run: Runtime
    conditions: PathConditions
    namespace: dict[str, Any]
    loops: dict[int, str]  # the functions of loops, by their numbers
    names: dict[str, Mapping[str, str]]  # the Python variables of functions that have loops
    frame_sizes: dict[CodeType, int]  # the bytes that a call takes on the stack at least

    def address(self, name: str) -> int:
        """The address of a global variable or function."""
        ...

    def site_of(self, instruction: Instruction) -> int:
        """The site of an instruction."""
        ...

    def callee(self, name: str) -> str:
        """The expression for a function that is called by name."""
        ...

    def definition(self, name: str) -> IrFunction | None:
        """The function of the program that is called by a name; None if it is the library's."""
        ...

    def is_plain(self, name: str) -> bool:
        """Whether a function is one of the program's that is called like any other."""
        ...


@dataclass(slots=True)
class _CompiledFunction:
    """A function that has been compiled, or can be. ``enter`` is its native code, if Python enters it; ``entries`` the
    labels where it does, by loop."""

    number: int
    segments: CodeSegments
    entries: dict[int, int]
    enter: Callable[[int], int] | None = None


class NativeCode:
    """See the module."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._context = Context()
        self._known: list[_CompiledFunction] = []
        self._by_name: dict[str, _CompiledFunction] = {}
        self._callable: dict[str, bool] = {}
        self._engines: list[Any] = []
        self._layouts: dict[tuple[int, int], _Layout] = {}
        self._exported: list[int] = []
        # By loop, while there are several threads and while there is one: how many more entries may be in vain.
        self._chances: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.pending: list[tuple[int, Any, Mapping[str, Any] | None]] = []

    # -- executions ---------------------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Begin an execution: no object is known."""
        for number in self._exported:
            self._clear(number)
        self._exported.clear()
        self.pending.clear()

    def _clear(self, number: int) -> None:
        at = place_of(number) * ENTRY_SIZE
        self._context.table[at : at + 8] = bytes(8)

    def forget(self, thing: MemoryObject) -> None:
        """An object has ended."""
        number = thing.base >> SHIFT
        if _WORD.unpack_from(self._context.table, place_of(number) * ENTRY_SIZE)[0] == number:
            self._clear(number)

    def _export(self, number: int) -> None:
        """Let native code access an object."""
        thing = self._host.memory.objects.get(number)
        if thing is None or not thing.live or not thing.size or thing.kind == "function" or thing.unknown is not None:
            return
        flags = READ_ALONE | (READ_ALWAYS if thing.is_constant else WRITE_ALONE)
        shadow = 0 if thing.shadow is None else address_of(thing.shadow)
        at = place_of(number) * ENTRY_SIZE
        _ENTRY.pack_into(self._context.table, at, number, address_of(thing.data), shadow, thing.size, flags)
        self._exported.append(number)

    # -- entering and leaving -----------------------------------------------------------------------------------------

    def is_hot(self, loop: int) -> bool:
        """Whether native code is to be entered at the head of a loop."""
        host = self._host
        chances = self._chances[host.run.solo]
        if loop not in chances:
            self._get_ready(loop)
        return chances[loop] > 0 and not host.conditions.used and not host.memory.section.depth

    def enter(self, number: int, label: int, loop: int, values: tuple[Any, ...]) -> tuple[int, Any]:
        """Go on at a label, in native code if it can; ``values`` are those of the variables that are live there.
        Returns the label at which Python goes on, and the variables there; or -1, and the result of the function."""
        known, words, run = self._known[number], self._context.words, self._host.run
        layout = self._layout(number, label)
        if known.enter is None or run.aborting or not layout.write(self._context.frames, 0, values):
            return label, values
        passes, alone = run.passes, run.solo
        words[Word.PASSES] = passes
        words[Word.STOP_AT] = min(run.limits.passes, (passes | _STRIDE - 1) + 1)
        words[Word.TOP] = self._context.frames_at
        words[Word.DEPTH], words[Word.FUEL] = _DEEPEST, _FUEL
        words[Word.READS] = READ_ALONE | READ_ALWAYS if alone else READ_ALWAYS
        words[Word.WRITES] = WRITE_ALONE if alone else 0
        words[Word.SOLO] = alone
        words[Word.MISSED] = 0
        has_returned = known.enter(label)
        run.passes = words[Word.PASSES]
        if words[Word.MISSED]:
            self._export(words[Word.MISSED])
        chances = self._chances[alone]
        chances[loop] = chances[loop] - 1 if run.passes - passes < _FEW else _CHANCES
        if has_returned:
            return -1, _value(known.segments.function.result, words[Word.RESULT])
        return self._left()

    def go_on(self, loop: int, variables: Mapping[str, Any]) -> Any:
        """A function that can't be resumed has come to the head of a loop: carry out its rest; returns its result."""
        name = self._host.loops[loop]
        known, names = self._by_name[name], self._host.names[name]
        label = known.entries[loop]
        live = known.segments.live[label] or ()
        values = tuple([variables[names[each]] for each in live])
        label, given = self.enter(known.number, label, loop, values)
        if label < 0:
            return given
        self.pending.append((label, given, variables))
        return self._host.namespace[python_name(name)](*(None for _ in known.segments.function.parameters))

    def _left(self) -> tuple[int, Any]:
        """Read the frames; those of functions that were called wait until they are called again."""
        at, end = 0, self._context.words[Word.TOP] - self._context.frames_at
        while True:
            header = _WORD.unpack_from(self._context.frames, at)[0]
            label = header & 0xFFFF_FFFF
            layout = self._layout(header >> 32, label)
            values = layout.read(self._context.frames, at + 8)
            at += 8 + layout.size
            if at >= end:
                return label, values
            self.pending.append((label, values, None))

    def _layout(self, number: int, label: int) -> _Layout:
        found = self._layouts.get((number, label))
        if found is None:
            found = self._layouts[number, label] = _Layout(self._known[number].segments, label)
        return found

    # -- compiling ----------------------------------------------------------------------------------------------------

    def _get_ready(self, loop: int) -> None:
        """Compile the function of a loop, if it can be."""
        name = self._host.loops[loop]
        known = self._by_name.get(name)
        if known is None and self._can_be_resumed(name):
            known = self._know(name)
        if known is not None and known.enter is None and known.entries:
            self._compile(known)
        is_compiled = known is not None and known.enter is not None and loop in known.entries
        for chances in self._chances:
            chances[loop] = _CHANCES if is_compiled else 0

    def _compile(self, known: _CompiledFunction) -> None:
        callees = self._called_by(known)
        numbers = {name: self._by_name[name].number for name in callees}
        make = FunctionText
        texts = [DECLARATIONS, accesses(self._context)]
        for name in callees:
            each = self._by_name[name]
            texts.append(make(each.number, each.segments, self._host.address, numbers, self._context, None).text())
        entries = known.entries.values()
        texts.append(make(known.number, known.segments, self._host.address, numbers, self._context, entries).text())
        entry = f"enter_{known.number}"
        engine, functions = compiled("\n".join(texts), [entry])
        self._engines.append(engine)
        known.enter = functions[entry]

    def _called_by(self, known: _CompiledFunction) -> list[str]:
        """The functions that native code of a function calls, directly or not."""
        found: list[str] = []
        waiting = [known.segments]
        while waiting:
            for each in instructions_of(waiting.pop().function):
                if (name := self._called_natively(each)) and name not in found:
                    found.append(name)
                    waiting.append((self._by_name.get(name) or self._know(name)).segments)
        return found

    def _know(self, name: str) -> _CompiledFunction:
        """Divide a function into segments, and let it be resumed from now on."""
        host, function = self._host, self._host.module.functions[name]
        promoted = promoted_in(function)
        loops = LoopStructure(function, host.site_of, promoted)
        segments = CodeSegments(function, promoted, moved_in(function), loops, self._is_native)
        known = _CompiledFunction(len(self._known), segments, segments.entries())
        names = host.address, host.site_of, host.callee, host.definition
        translator = ResumableTranslator(known.number, segments, function, *names)
        host.frame_sizes[translator.compiled(host.namespace, python_name(name))] = least_frame(function)
        self._known.append(known)
        self._by_name[name] = known
        return known

    def _is_native(self, each: Instruction) -> bool:
        """Whether native code can carry out a call."""
        called = each.operands[0].value
        if isinstance(called, Symbol) and (called.name in INTEGERS or called.name in FLOATS):
            function = self._host.module.functions.get(called.name)
            return function is None or not function.blocks
        return bool(self._called_natively(each))

    def _called_natively(self, each: Instruction) -> str:
        """The function that a call calls, if native code can carry it out; otherwise ""."""
        if each.opcode != "call" or not isinstance(called := each.operands[0].value, Symbol):
            return ""
        if called.name not in self._callable:
            self._callable[called.name] = self._can_be_called(called.name)
        if not self._callable[called.name]:
            return ""
        parameters = [type_ for _, type_ in self._host.module.functions[called.name].parameters]
        fits = parameters == [operand.type for operand in each.operands[1:]] and not any(each.copied)
        return called.name if fits and each.type == self._host.module.functions[called.name].result else ""

    def _can_be_resumed(self, name: str) -> bool:
        function = self._host.module.functions.get(name)
        if function is None or not function.blocks or function.variadic or not self._host.is_plain(name):
            return False
        if any(map(is_setjmp, instructions_of(function))):
            return False
        if sum(len(block.instructions) for block in function.blocks) > _LARGEST:
            return False
        return all(map(is_scalar, promoted_in(function).values()))

    def _can_be_called(self, name: str) -> bool:
        if not self._can_be_resumed(name):
            return False
        function = self._host.module.functions[name]
        promoted = promoted_in(function)
        return (
            all(is_scalar(type_) for _, type_ in function.parameters)
            and (is_scalar(function.result) or isinstance(function.result, Void))
            and all(each.result in promoted for each in instructions_of(function) if each.opcode == "alloca")
        )


class _Layout:
    """The place of variables in a frame of a function at a label: words that say which promoted variables have values,
    then the variables that are live."""

    def __init__(self, segments: CodeSegments, label: int) -> None:
        live = segments.live[label] or ()
        self._promoted = len(segments.promoted)
        self._masks = -(-self._promoted // 64)
        kinds = "".join("d" if isinstance(segments.type_of(each), Float) else "Q" for each in live)
        self._struct = struct.Struct(f"<{self._masks}Q{kinds}")
        self._all = tuple([(1 << min(64, self._promoted - first)) - 1 for first in range(0, self._promoted, 64)])
        self.size = self._struct.size

    def write(self, to: memoryview, at: int, values: tuple[Any, ...]) -> bool:
        """Write variables; False if one is no number of its type."""
        masks = self._all
        if None in values:
            has = sum([1 << index for index in range(self._promoted) if values[index] is not None])
            masks = tuple([has >> 64 * index & (1 << 64) - 1 for index in range(self._masks)])
            values = tuple([0 if each is None else each for each in values])
        try:
            self._struct.pack_into(to, at, *masks, *values)
        except struct.error:
            return False
        return True

    def read(self, content: memoryview, at: int) -> tuple[Any, ...]:
        """Read variables; promoted ones without values are None."""
        found = self._struct.unpack_from(content, at)
        values = found[self._masks :]
        if found[: self._masks] == self._all:
            return values
        has = sum([mask << 64 * index for index, mask in enumerate(found[: self._masks])])
        return tuple(
            [each if index >= self._promoted or has >> index & 1 else None for index, each in enumerate(values)]
        )


def _value(type_: Type, word: int) -> Any:
    """The value of a type that a function has returned as a word."""
    if isinstance(type_, Void):
        return None
    if isinstance(type_, Float):
        return struct.unpack("<d", struct.pack("<q", word))[0]
    return word & (1 << bits_of(type_)) - 1
