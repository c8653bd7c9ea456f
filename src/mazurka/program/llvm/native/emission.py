"""From the segments of functions to the text of LLVM IR that is compiled to native code.

A function ``@call_N`` is called by native code: it takes and returns words (i64: the bits of floats), and a truth value
that says that it has left. A function ``@enter_N`` is called by Python with the label to go on at, whose variables are
in the area of frames; it returns 1 if the function has returned, 0 if it has left. Variables that outlive a block are
``alloca``s, of which LLVM makes registers.

The meaning of an instruction is stated by :mod:`mazurka.program.llvm.expressions`, and is the same here for each value
that does not make it leave: results of floats that are no numbers leave, since their bits depend on the compiler.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from mazurka.program.llvm.expressions import as_signed, bits_of, bytes_of, constant
from mazurka.program.llvm.ir.functions import IGNORED_CALLS
from mazurka.program.llvm.ir.module import Block, ConstantValue, Instruction, Local, Operand, Symbol, Undefined
from mazurka.program.llvm.ir.types import Array, Float, Int, Pointer, Struct, Type, Void
from mazurka.program.llvm.native.context import Context, Word
from mazurka.program.llvm.native.intrinsics import COUNTED, FLOATS, INTEGERS
from mazurka.program.llvm.native.segments import Carrier, CodeSegments

_FLOAT_OPERATIONS: Final = frozenset("fadd fsub fmul fdiv".split())

#: Floats that are further from zero than this leave when they become integers.
_FAR: Final = "4.0e18"


class FunctionText:
    """The text of one function. ``callees`` are the numbers of functions that native code calls, by name; ``entries``
    the labels at which Python enters; None: native code calls it."""

    def __init__(
        self,
        number: int,
        segments: CodeSegments,
        address: Callable[[str], int],
        callees: Mapping[str, int],
        context: Context,
        entries: Iterable[int] | None,
    ) -> None:
        self._number = number
        self._segments = segments
        self._function = segments.function
        self._address = address
        self._callees = callees
        self._context = context
        self._entries = None if entries is None else tuple(entries)
        self._lines: list[str] = []
        self._temporaries = 0
        self._indices: dict[str, int] = {}
        self._aliases: dict[str, str] = {}  # variables that are the same as other values
        self._in_memory = self._outlive()
        self._left: dict[int, str] = {}  # labels at which it may leave, and the names of the blocks
        self._ended: set[str] = set()  # blocks whose rest is carried out in Python
        self._here = 0

    def text(self) -> str:
        """The definition of the function."""
        if self._entries is None:
            parameters = ", ".join(f"i64 %p{at}" for at in range(len(self._function.parameters)))
            self._lines.append(f"define internal {{i64, i1}} @call_{self._number}({parameters}) {{")
        else:
            self._lines.append(f"define i64 @enter_{self._number}(i64 %label) {{")
        self._begin()
        for label, part in enumerate(self._segments.parts):
            if part.block in self._ended:
                continue
            self._here = label
            self._lines.append(f"L{label}:")
            if part.is_head:
                self._head(label)
            else:
                self._instructions(label)
        for label, name in self._left.items():
            self._leave(label, name)
        self._lines.append("}")
        return "\n".join(self._lines)

    # -- names and values ---------------------------------------------------------------------------------------------

    def _outlive(self) -> set[str]:
        """The variables that are used in other blocks than their own, or by other ways than in order."""
        home: dict[str, str] = {}
        found = {name for name, _ in self._function.parameters}
        for block in self._function.blocks:
            for each in block.instructions:
                home[each.result] = block.name
                if each.opcode == "phi":
                    found.add(each.result)
        for block in self._function.blocks:
            for each in block.instructions:
                for at, operand in enumerate(each.operands):
                    where = each.labels[at] if each.opcode == "phi" else block.name
                    if isinstance(operand.value, Local) and home.get(operand.value.name) != where:
                        found.add(operand.value.name)
        for part, live in zip(self._segments.parts, self._segments.live, strict=True):
            found.update(name for name in live or () if home.get(name) != part.block)
        return found - set(self._segments.promoted)

    def _index(self, name: str) -> int:
        return self._indices.setdefault(name, len(self._indices))

    def _emit(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def _new(self, text: str) -> str:
        self._temporaries += 1
        name = f"%t{self._temporaries}"
        self._emit(f"{name} = {text}")
        return name

    def _block(self) -> str:
        self._temporaries += 1
        return f"B{self._temporaries}"

    def _load_word(self, word: int) -> str:
        return self._new(f"load i64, ptr inttoptr (i64 {self._context.words_at + 8 * word} to ptr)")

    def _store_word(self, word: int, value: str) -> None:
        self._emit(f"store i64 {value}, ptr inttoptr (i64 {self._context.words_at + 8 * word} to ptr)")

    def _value(self, operand: Operand) -> str:
        value, type_ = operand.value, operand.type
        if isinstance(value, Local):
            return self._variable(value.name)
        if isinstance(value, Undefined):
            return "0.0" if isinstance(type_, Float) else "0"
        found = constant(operand, self._address)
        if isinstance(type_, Float):
            return f"0x{struct.unpack('<Q', struct.pack('<d', float(found)))[0]:016X}"
        return str(as_signed(int(found or 0), bits_of(type_)))

    def _variable(self, name: str) -> str:
        type_ = self._segments.type_of(name)
        if name in self._in_memory or name in self._segments.promoted:
            return self._new(f"load {_native(type_)}, ptr %m{self._index(name)}")
        return self._aliases.get(name) or f"%v{self._index(name)}"

    def _set(self, name: str, value: str) -> None:
        """Give a variable its value."""
        type_ = self._segments.type_of(name)
        self._emit(f"store {_native(type_)} {value}, ptr %m{self._index(name)}")

    def _define(self, each: Instruction, text: str) -> None:
        if each.result in self._in_memory:
            self._set(each.result, self._new(text))
        else:
            self._emit(f"%v{self._index(each.result)} = {text}")

    def _define_as(self, each: Instruction, value: str) -> None:
        """The result of an instruction is this value."""
        if each.result in self._in_memory:
            self._set(each.result, value)
        else:
            self._aliases[each.result] = value

    def _word(self, type_: Type, value: str) -> str:
        """A value as a word."""
        if isinstance(type_, Float):
            if type_.name == "float":
                value = self._new(f"fpext float {value} to double")
            return self._new(f"bitcast double {value} to i64")
        return value if _native(type_) == "i64" else self._new(f"zext {_native(type_)} {value} to i64")

    def _from_word(self, type_: Type, word: str) -> str:
        if isinstance(type_, Float):
            value = self._new(f"bitcast i64 {word} to double")
            return value if type_.name == "double" else self._new(f"fptrunc double {value} to float")
        return word if _native(type_) == "i64" else self._new(f"trunc i64 {word} to {_native(type_)}")

    # -- entering and leaving -----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._lines.append("begin:")
        for name in (*self._segments.promoted, *sorted(self._in_memory)):
            self._emit(f"%m{self._index(name)} = alloca {_native(self._segments.type_of(name))}")
        for at in range(len(self._segments.promoted)):
            self._emit(f"%has{at} = alloca i1")
            self._emit(f"store i1 0, ptr %has{at}")
        for name, word in (("stop", Word.STOP_AT), ("reads", Word.READS), ("writes", Word.WRITES), ("solo", Word.SOLO)):
            self._emit(f"%{name} = load i64, ptr inttoptr (i64 {self._context.words_at + 8 * word} to ptr)")
        self._emit("%alone = trunc i64 %solo to i1")
        if self._entries is None:
            self._begin_call()
            return
        cases = " ".join(f"i64 {label}, label %N{label}" for label in self._entries)
        self._emit(f"switch i64 %label, label %none [{cases}]")
        self._lines.append("none:")
        self._emit("unreachable")
        for label in self._entries:
            self._enter(label)

    def _begin_call(self) -> None:
        for at, (name, type_) in enumerate(self._function.parameters):
            self._set(name, self._from_word(type_, f"%p{at}"))
        depth, fuel = self._load_word(Word.DEPTH), self._load_word(Word.FUEL)
        self._store_word(Word.DEPTH, self._new(f"sub i64 {depth}, 1"))
        self._store_word(Word.FUEL, self._new(f"sub i64 {fuel}, 1"))
        less = self._new(f"call i64 @llvm.smin.i64(i64 {depth}, i64 {fuel})")
        self._here = 0
        self._unless(self._new(f"icmp sle i64 {less}, 0"))
        self._emit("br label %L0")

    def _enter(self, label: int) -> None:
        """Read the variables that are live at a label."""
        self._lines.append(f"N{label}:")
        at = self._context.frames_at
        live = self._segments.live[label]
        assert live is not None
        for first in range(0, len(self._segments.promoted), 64):
            mask = self._new(f"load i64, ptr inttoptr (i64 {at} to ptr)")
            at += 8
            for bit in range(min(64, len(self._segments.promoted) - first)):
                shifted = self._new(f"lshr i64 {mask}, {bit}")
                self._emit(f"store i1 {self._new(f'trunc i64 {shifted} to i1')}, ptr %has{first + bit}")
        for name in live:
            type_ = self._segments.type_of(name)
            word = self._new(f"load i64, ptr inttoptr (i64 {at} to ptr)")
            self._set(name, self._from_word(type_, word))
            at += 8
        self._emit(f"br label %L{label}")

    def _leaving(self) -> str:
        return self._left.setdefault(self._here, f"X{self._here}")

    def _unless(self, condition: str) -> None:
        """Leave at the present label if a condition holds."""
        go_on = self._block()
        self._emit(f"br i1 {condition}, label %{self._leaving()}, label %{go_on}")
        self._lines.append(f"{go_on}:")

    def _leave(self, label: int, name: str) -> None:
        """Write a frame."""
        self._lines.append(f"{name}:")
        live = self._segments.live[label]
        if live is None:
            self._emit("call void @llvm.trap()")
            self._emit("unreachable")
            return
        top = self._load_word(Word.TOP)
        words = [str(self._number << 32 | label)]
        for first in range(0, len(self._segments.promoted), 64):
            mask = "0"
            for bit in range(min(64, len(self._segments.promoted) - first)):
                has = self._new(f"load i1, ptr %has{first + bit}")
                shifted = self._new(f"select i1 {has}, i64 {as_signed(1 << bit, 64)}, i64 0")
                mask = self._new(f"or i64 {mask}, {shifted}")
            words.append(mask)
        words += [self._word(self._segments.type_of(each), self._variable(each)) for each in live]
        frame = self._new(f"inttoptr i64 {top} to ptr")
        for at, word in enumerate(words):
            place = self._new(f"getelementptr i8, ptr {frame}, i64 {8 * at}")
            self._emit(f"store i64 {word}, ptr {place}")
        self._store_word(Word.TOP, self._new(f"add i64 {top}, {8 * len(words)}"))
        self._emit("ret {i64, i1} {i64 0, i1 1}" if self._entries is None else "ret i64 0")

    # -- segments -----------------------------------------------------------------------------------------------------

    def _head(self, label: int) -> None:
        """Count a pass of a loop, unless Python has to."""
        if self._segments.loops.heads[self._segments.parts[label].block].has_effects:
            self._unless(self._new("xor i1 %alone, 1"))
        passes = self._new(f"add i64 {self._load_word(Word.PASSES)}, 1")
        self._unless(self._new(f"icmp sge i64 {passes}, %stop"))
        self._store_word(Word.PASSES, passes)
        self._emit(f"br label %L{label + 1}")

    def _instructions(self, label: int) -> None:
        part = self._segments.parts[label]
        block = next(each for each in self._function.blocks if each.name == part.block)
        for each in self._segments.instructions(label):
            if self._segments.ways[id(each)] is Carrier.PYTHON:
                self._emit(f"br label %{self._leaving()}")
                self._ended.add(part.block)
                return
            self._instruction(block, each)
            if each.opcode in ("br", "switch", "ret"):
                return
        self._emit(f"br label %L{label + 1}")

    def _instruction(self, block: Block, each: Instruction) -> None:
        match each.opcode:
            case "br" | "switch" | "ret":
                if self._segments.ways[id(each)] is Carrier.DOUBTFUL:
                    self._unless(self._new("xor i1 %alone, 1"))
                self._end(block, each)
            case "load":
                self._load(each)
            case "store":
                self._store(each)
            case "call":
                self._call(each)
            case "alloca" | "phi":
                pass
            case "getelementptr":
                self._define_as(each, self._address_of(each))
            case _:
                self._operation(each)

    def _end(self, block: Block, each: Instruction) -> None:
        if each.opcode == "ret":
            word = self._word(each.operands[0].type, self._value(each.operands[0])) if each.operands else "0"
            if self._entries is None:
                self._store_word(Word.DEPTH, self._new(f"add i64 {self._load_word(Word.DEPTH)}, 1"))
                whole = self._new(f"insertvalue {{i64, i1}} {{i64 0, i1 0}}, i64 {word}, 0")
                self._emit(f"ret {{i64, i1}} {whole}")
            else:
                self._store_word(Word.RESULT, word)
                self._emit("ret i64 1")
        elif each.opcode == "br" and len(each.labels) == 1:
            self._jump(block, each.labels[0])
        else:
            edges = {label: self._block() for label in dict.fromkeys(each.labels)}
            value, type_ = self._value(each.operands[0]), _native(each.operands[0].type)
            if each.opcode == "br":
                one, other = (edges[label] for label in each.labels)
                self._emit(f"br i1 {value}, label %{one}, label %{other}")
            else:
                cases = " ".join(
                    f"{type_} {self._value(operand)}, label %{edges[label]}"
                    for operand, label in zip(each.operands[1:], each.labels[1:], strict=True)
                )
                self._emit(f"switch {type_} {value}, label %{edges[each.labels[0]]} [{cases}]")
            for label, edge in edges.items():
                self._lines.append(f"{edge}:")
                self._jump(block, label)

    def _jump(self, block: Block, to: str) -> None:
        following = next(each for each in self._function.blocks if each.name == to)
        phis = [each for each in following.instructions if each.opcode == "phi"]
        values = [self._value(each.operands[each.labels.index(block.name)]) for each in phis]
        for each, value in zip(phis, values, strict=True):
            self._set(each.result, value)
        self._emit(f"br label %L{self._segments.first[to]}")

    # -- memory and calls ---------------------------------------------------------------------------------------------

    def _load(self, each: Instruction) -> None:
        place = each.operands[0].value
        type_ = each.type
        if isinstance(place, Local) and place.name in self._segments.promoted:
            if self._segments.ways[id(each)] is Carrier.DOUBTFUL:
                at = tuple(self._segments.promoted).index(place.name)
                has = self._new(f"load i1, ptr %has{at}")
                self._unless(self._new(f"xor i1 {has}, 1"))
            self._define(each, f"load {_native(type_)}, ptr %m{self._index(place.name)}")
            return
        size = bytes_of(type_)
        kind = "move" if each.result in self._segments.moved else "load"
        address = self._value(each.operands[0])
        both = self._new(f"call {{i{8 * size}, i1}} @{kind}_{size}(i64 {address}, i64 %reads)")
        self._unless(self._new(f"extractvalue {{i{8 * size}, i1}} {both}, 1"))
        bits = self._new(f"extractvalue {{i{8 * size}, i1}} {both}, 0")
        if isinstance(type_, Float):
            number = self._new(f"bitcast i{8 * size} {bits} to {_native(type_)}")
            if type_.name == "float":
                self._leave_if_no_number(type_, number)
            self._define_as(each, number)
        else:
            self._define_as(each, bits)

    def _store(self, each: Instruction) -> None:
        value, place = each.operands
        if isinstance(place.value, Local) and place.value.name in self._segments.promoted:
            self._set(place.value.name, self._value(value))
            self._emit(f"store i1 1, ptr %has{tuple(self._segments.promoted).index(place.value.name)}")
            return
        size = bytes_of(value.type)
        bits = self._value(value)
        if isinstance(value.type, Float):
            if value.type.name == "float":
                self._leave_if_no_number(value.type, bits)
            bits = self._new(f"bitcast {_native(value.type)} {bits} to i{8 * size}")
        self._unless(self._new(f"call i1 @store_{size}(i64 {self._value(place)}, i{8 * size} {bits}, i64 %writes)"))

    def _call(self, each: Instruction) -> None:
        called = each.operands[0].value
        assert isinstance(called, Symbol)
        if called.name.startswith(IGNORED_CALLS):
            return
        if called.name not in self._callees:
            self._intrinsic(each, called.name)
            return
        words = [self._word(operand.type, self._value(operand)) for operand in each.operands[1:]]
        number = self._callees[called.name]
        both = self._new(f"call {{i64, i1}} @call_{number}({', '.join(f'i64 {word}' for word in words)})")
        self._unless(self._new(f"extractvalue {{i64, i1}} {both}, 1"))
        if not isinstance(each.type, Void):
            word = self._new(f"extractvalue {{i64, i1}} {both}, 0")
            self._define_as(each, self._from_word(each.type, word))

    def _intrinsic(self, each: Instruction, name: str) -> None:
        values = [self._value(operand) for operand in each.operands[1:]]
        if name in INTEGERS:
            type_, function, last = INTEGERS[name]
            given = ", ".join(f"{type_} {value}" for value in values[: COUNTED.get(name)])
            self._define(each, f"call {type_} {function}({given}{last})")
            return
        type_, function = FLOATS[name]
        if function == "fmuladd":
            found = self._new(f"fadd {type_} {self._new(f'fmul {type_} {values[0]}, {values[1]}')}, {values[2]}")
        else:
            found = self._new(f"call {type_} {function}({type_} {values[0]})")
        self._leave_if_no_number(each.type, found)
        self._define_as(each, found)

    def _address_of(self, each: Instruction) -> str:
        base, *indices = each.operands
        kind, fixed, found = each.source, 0, self._value(base)
        assert kind is not None
        for number, index in enumerate(indices):
            if number and isinstance(kind, Struct):
                at = int(constant(index, self._address) or 0)
                fixed += kind.offset(at)
                kind = kind.fields[at]
                continue
            if number:
                assert isinstance(kind, Array)
                kind = kind.element
            if isinstance(index.value, ConstantValue):
                fixed += as_signed(int(constant(index, self._address) or 0), bits_of(index.type)) * kind.size
            else:
                wide = self._value(index)
                if bits_of(index.type) < 64:
                    wide = self._new(f"sext {_native(index.type)} {wide} to i64")
                found = self._new(f"add i64 {found}, {self._new(f'mul i64 {wide}, {kind.size}')}")
        return self._new(f"add i64 {found}, {fixed}")

    # -- arithmetic ---------------------------------------------------------------------------------------------------

    def _leave_if_no_number(self, type_: Type, value: str) -> None:
        self._unless(self._new(f"fcmp uno {_native(type_)} {value}, {value}"))

    def _operation(self, each: Instruction) -> None:
        opcode, type_ = each.opcode, each.type
        values = [self._value(operand) for operand in each.operands]
        kinds = [_native(operand.type) for operand in each.operands]
        own = _native(type_)
        match opcode:
            case "add" | "sub" | "mul" | "and" | "or" | "xor":
                self._define(each, f"{opcode} {own} {values[0]}, {values[1]}")
            case "shl" | "lshr" | "ashr":
                self._shift(each, own, values)
            case "icmp" | "fcmp":
                self._define(each, f"{opcode} {each.how} {kinds[0]} {values[0]}, {values[1]}")
            case "select":
                self._define(each, f"select i1 {values[0]}, {own} {values[1]}, {own} {values[2]}")
            case "udiv" | "urem" | "sdiv" | "srem":
                self._divide(each, own, values)
            case "fneg":
                self._define(each, f"fneg {own} {values[0]}")
            case "sitofp" | "uitofp":
                wide = self._new(f"{opcode} {kinds[0]} {values[0]} to double")
                self._define_as(each, self._new(f"fptrunc double {wide} to float") if own == "float" else wide)
            case "fptosi" | "fptoui":
                self._to_integer(each, kinds[0], own, values[0])
            case "fptrunc" | "fpext":
                self._leave_if_no_number(each.operands[0].type, values[0])
                self._cast(each, opcode, kinds[0], own, values[0])
            case "trunc" | "zext" | "sext":
                self._cast(each, opcode, kinds[0], own, values[0])
            case "freeze" | "bitcast" | "addrspacecast" | "ptrtoint" | "inttoptr":
                narrower = bits_of(type_) < bits_of(each.operands[0].type)
                self._cast(each, "trunc" if narrower else "zext", kinds[0], own, values[0])
            case _:
                assert opcode in _FLOAT_OPERATIONS, opcode
                found = self._new(f"{opcode} {own} {values[0]}, {values[1]}")
                self._leave_if_no_number(type_, found)
                self._define_as(each, found)

    def _cast(self, each: Instruction, opcode: str, source: str, own: str, value: str) -> None:
        if source == own:
            self._define_as(each, value)
        else:
            self._define(each, f"{opcode} {source} {value} to {own}")

    def _shift(self, each: Instruction, own: str, values: list[str]) -> None:
        """Shifts by as many bits as there are, or more, shift everything out."""
        bits = bits_of(each.type)
        most = self._new(f"call {own} @llvm.umin.{own}({own} {values[1]}, {own} {bits - 1})")
        shifted = self._new(f"{each.opcode} {own} {values[0]}, {most}")
        if each.opcode == "ashr":
            self._define_as(each, shifted)
        else:
            fits = self._new(f"icmp eq {own} {most}, {values[1]}")
            self._define(each, f"select i1 {fits}, {own} {shifted}, {own} 0")

    def _divide(self, each: Instruction, own: str, values: list[str]) -> None:
        if self._segments.ways[id(each)] is Carrier.DOUBTFUL:
            self._unless(self._new(f"icmp eq {own} {values[1]}, 0"))
            if each.opcode in ("sdiv", "srem"):  # the least integer, by -1
                self._unless(self._new(f"icmp eq {own} {values[1]}, -1"))
        self._define(each, f"{each.opcode} {own} {values[0]}, {values[1]}")

    def _to_integer(self, each: Instruction, source: str, own: str, value: str) -> None:
        wide = value if source == "double" else self._new(f"fpext float {value} to double")
        size = self._new(f"call double @llvm.fabs.f64(double {wide})")
        self._unless(self._new(f"fcmp uge double {size}, {_FAR}"))
        whole = self._new(f"fptosi double {wide} to i64")
        self._define_as(each, whole if own == "i64" else self._new(f"trunc i64 {whole} to {own}"))


def _native(type_: Type) -> str:
    """The type of native values; pointers are integers."""
    if isinstance(type_, Int):
        return f"i{type_.bits}"
    return "i64" if isinstance(type_, Pointer) else str(type_)
