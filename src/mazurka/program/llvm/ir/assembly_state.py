"""What inline assembly works on: its operands, registers and flags; and the instructions of LLVM IR that it becomes.

Source: the LLVM language reference, inline assembler expressions; GCC's manual, 6.47.2 (extended asm); Intel's manual,
volume 1, 3.4. An access of memory is a ``load``, a ``store``, or an atomic instruction, so that all that is known of
these holds for assembly, too.

Compilers trust what a text declares, and may give an output the register of an input. So a text is not supported that
changes a register or memory that it does not declare, that reads an input after it has changed an output that is not
``&``, or that gives a value of which some bits are what happened to be in a register.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mazurka.program.llvm.ir.module import ConstantValue, Instruction, Local, Operand, Symbol, Undefined, Value
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import POINTER, VOID, Int, Pointer, Struct, Type

BIT: Final = Int(1)

_UNDECLARED: Final = 'an access of memory that is declared neither by an operand nor by "memory" in'


def _register_names() -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for name in ("ax", "bx", "cx", "dx"):
        found |= {name[0] + "l": (name, 8), name: (name, 16), "e" + name: (name, 32), "r" + name: (name, 64)}
    for name in ("si", "di", "bp", "sp"):
        found |= {name + "l": (name, 8), name: (name, 16), "e" + name: (name, 32), "r" + name: (name, 64)}
    for number in range(8, 16):
        name = f"r{number}"
        found |= {name + "b": (name, 8), name + "w": (name, 16), name + "d": (name, 32), name: (name, 64)}
    return found


#: The general registers by the names of their parts: the whole register, and the bits of the part.
REGISTERS: Final = _register_names()

_WIDTHS: Final = {"b": 8, "w": 16, "k": 32, "q": 64}
_IMMEDIATE: Final = frozenset("ienIJKLMNOs")
_REGISTER: Final = frozenset("rqQRlgX")
_TEMPLATE_OPERAND: Final = re.compile(r"\$(\d+)|\$\{(\d+)(?::([a-z]))?\}")
_NUMBER: Final = re.compile(r"([-~]?)(0x[0-9a-f]+|\d+)")
_ADDRESS: Final = re.compile(r"(-?(?:0x[0-9a-f]+|\d+))?\((\$\d+|\$\{\d+(?::q)?\}|%\w+)\)")


@dataclass(frozen=True, slots=True)
class Register:
    """A register, or the part of it that an argument names. ``bits`` is 0 where its operand's type decides."""

    key: str
    bits: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A place in memory: the address, or the register that has it."""

    address: Operand | Register
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    """An immediate number."""

    value: int


Argument = Register | Memory | Number


@dataclass(slots=True)
class _Cell:
    """A register of the text. ``is_fixed``: it is the one of that name; ``fits_any``: it is a number that the text may
    have in place of a register; ``extends``: the bits above its value are zero."""

    type: Type
    value: Operand | None = None
    is_fixed: bool = False
    is_output: bool = False
    is_early: bool = False
    fits_any: bool = False
    extends: bool = False


class AssemblyState:
    """The operands of a text, and the instructions that it has become so far. ``prefix`` is that of the names of
    their results."""

    def __init__(self, type_: Type, constraints: str, given: tuple[Operand, ...], prefix: str) -> None:
        self.instructions: list[Instruction] = []
        self._prefix = prefix
        self._operands: list[Register | Memory] = []
        self._cells: dict[str, _Cell] = {}
        self._outputs: list[str] = []  # of values that are returned, in order: keys of cells, or conditions
        self._clobbered: set[str] = set()
        self._has_memory_input = self._has_memory_output = False
        self._spoilt: set[str] = set()  # outputs that have been changed, and may be in the place of an input
        self._changed: set[str] = set()  # those that the present instruction changes
        self._flags: _Flags | None = None
        self.type = type_
        fields = list(type_.fields) if isinstance(type_, Struct) else [] if type_ == VOID else [type_]
        self._bind(constraints, fields, list(given))

    # -- operands -----------------------------------------------------------------------------------------------------

    def _bind(self, constraints: str, results: list[Type], given: list[Operand]) -> None:
        for each in filter(None, constraints.split(",")):
            if each[0] == "~":
                name = each[2:-1].lower()
                self._clobbered.add(REGISTERS[name][0] if name in REGISTERS else name)
            elif each[0] == "!":
                raise Unsupported("a jump out of")
            elif each[0] == "=":
                self._bind_output(each[1:], results, given)
            else:
                self._bind_input(each, given)

    def _bind_output(self, constraint: str, results: list[Type], given: list[Operand]) -> None:
        number = len(self._operands)
        if "*" in constraint:
            self._has_memory_output = True
            self._operands.append(Memory(given.pop(0)))
            return
        kind = constraint.lstrip("&%")
        type_ = results.pop(0)
        if kind.startswith("{@cc"):
            self._outputs.append(kind[1:-1])
            self._operands.append(Register(kind, 0))
            return
        key = self._key(kind, number)
        cell = _Cell(type_, is_fixed=kind[0] == "{", is_output=True, is_early="&" in constraint)
        self._cells[key] = cell
        self._outputs.append(key)
        self._operands.append(Register(key, 0))

    def _bind_input(self, constraint: str, given: list[Operand]) -> None:
        value = given.pop(0)
        if "*" in constraint:
            self._has_memory_input = True
            self._operands.append(Memory(value))
            return
        kind = constraint.lstrip("&%")
        if kind.isdigit():
            tied = self._operands[int(kind)]
            if not isinstance(tied, Register) or tied.key not in self._cells:
                raise Unsupported(f"the constraint {constraint!r} of")
            key = tied.key
        else:
            key = self._key(kind, len(self._operands))
        cell = self._cells.setdefault(key, _Cell(value.type, is_fixed=kind[0] == "{"))
        if isinstance(value.value, ConstantValue) and not cell.is_output:
            cell.fits_any = not _IMMEDIATE.isdisjoint(kind)
        cell.value = self._integer(value)
        self._operands.append(Register(key, 0))

    def _key(self, kind: str, number: int) -> str:
        if kind[0] == "{" and (name := kind[1:-1].lower()) in REGISTERS:
            return REGISTERS[name][0]
        if kind[0] == "{" or not set(kind) <= _REGISTER | _IMMEDIATE | set("mabcdSD|"):
            raise Unsupported(f"the constraint {kind!r} of")
        return f"${number}"

    def argument(self, text: str) -> Argument:
        """The argument that is written so."""
        if match := _TEMPLATE_OPERAND.fullmatch(text):
            found = self._operands[int(match[1] or match[2])]
            if not match[3]:
                return found
            if isinstance(found, Register) and match[3] in _WIDTHS:
                return Register(found.key, _WIDTHS[match[3]])
        elif text.startswith("$$") and (match := _NUMBER.fullmatch(text[2:])):
            value = int(match[2], 16 if match[2].startswith("0x") else 8 if match[2].startswith("0") else 10)
            return Number({"-": -value, "~": ~value}.get(match[1], value))
        elif text.startswith("%") and text[1:] in REGISTERS:
            return Register(*REGISTERS[text[1:]])
        elif match := _ADDRESS.fullmatch(text):
            base = self.argument(match[2])
            offset = self.argument(f"$${match[1] or 0}")
            fits = isinstance(base, Register) and (base.key == "sp" or self.bits_of(base) == 64)
            if fits and isinstance(base, Register) and isinstance(offset, Number):
                return Memory(base, offset.value)
        raise Unsupported(f"the operand {text!r} of")

    def is_output(self, key: str) -> bool:
        """Whether the value that a register has at the end is used."""
        return key in self._outputs

    def bits_of(self, argument: Argument) -> int:
        """The bits of an argument; 0 if its name does not tell."""
        if not isinstance(argument, Register):
            return 0
        if argument.bits or argument.key not in self._cells:
            return argument.bits
        cell = self._cells[argument.key]
        return 0 if cell.fits_any else _bits(cell.type)

    # -- values -------------------------------------------------------------------------------------------------------

    def read(self, argument: Argument, bits: int) -> Operand:
        """The value of an argument of so many bits."""
        if isinstance(argument, Memory):
            return self.load(argument, bits)
        if isinstance(argument, Number):
            return number(argument.value, bits)
        cell = self._cells.get(argument.key)
        if cell is not None and cell.fits_any:
            assert cell.value is not None
            assert isinstance(cell.value.value, ConstantValue)
            plain, width = int(cell.value.value.value or 0), _bits(cell.value.type)
            return number(plain - (plain >> width - 1 << width), bits)
        if cell is None or cell.value is None:
            raise Unsupported("a register without a value in")
        self._hold_unspoilt(cell)
        width = _bits(cell.value.type)
        if width == bits:
            return cell.value
        if width < bits and not cell.extends:
            raise Unsupported("more bits of a register than have values in")
        return self.emit("trunc" if width > bits else "zext", Int(bits), cell.value)

    def _hold_unspoilt(self, cell: _Cell | None) -> None:
        """Find an input (None: that is an address) that may be in the register of an output that has been changed."""
        if cell is not None and cell.is_output:
            return  # no two outputs have the same register
        is_fixed = cell is not None and cell.is_fixed
        if any(not (is_fixed and self._cells[each].is_fixed) for each in self._spoilt):
            raise Unsupported("an output that is changed before all inputs are read, without `&`, in")

    def write(self, argument: Argument, value: Operand) -> None:
        """Give an argument a value."""
        bits = _bits(value.type)
        if isinstance(argument, Memory):
            self.store(argument, value)
            return
        if isinstance(argument, Number):
            raise Unsupported("a number as the target of")
        cell = self._cells.get(argument.key)
        if cell is None and argument.key in self._clobbered:
            cell = self._cells[argument.key] = _Cell(Int(64), is_fixed=True, is_output=True, is_early=True)
        if cell is None or not (cell.is_output or argument.key in self._clobbered):
            raise Unsupported(f"a change of {argument.key}, which is not declared as an output, in")
        if bits < 32 and cell.value is not None and _bits(cell.value.type) > bits:
            whole = cell.value.type
            kept = self.emit("and", whole, cell.value, number(-1 << bits, _bits(whole)))
            value = self.emit("or", whole, kept, self.emit("zext", whole, value))
            cell.value = value
        else:
            cell.value, cell.extends = value, bits == 32
        if not cell.is_early:
            self._changed.add(argument.key)

    def end_instruction(self) -> None:
        """The present instruction of the text is complete."""
        self._spoilt |= self._changed
        self._changed.clear()

    def _integer(self, value: Operand) -> Operand:
        if isinstance(value.type, Int):
            return value
        if isinstance(value.type, Pointer):
            return self.emit("ptrtoint", Int(64), value)
        raise Unsupported(f"an operand of type {value.type} of")

    # -- memory -------------------------------------------------------------------------------------------------------

    def place(self, memory: Memory) -> Operand:
        """The address of a place."""
        if isinstance(memory.address, Operand):
            self._hold_unspoilt(None)
            return memory.address
        if "memory" not in self._clobbered:
            raise Unsupported(_UNDECLARED)
        address = self.read(memory.address, 64)
        if memory.offset:
            address = self.emit("add", Int(64), address, number(memory.offset, 64))
        return self.emit("inttoptr", POINTER, address)

    def _hold_declared(self, *, reads: bool, writes: bool) -> None:
        declared = self._has_memory_output and (self._has_memory_input or not reads)
        declared = declared or (self._has_memory_input and not writes)
        if not declared and "memory" not in self._clobbered:
            raise Unsupported(_UNDECLARED)

    def load(self, memory: Memory, bits: int) -> Operand:
        """Read memory."""
        self._hold_declared(reads=True, writes=False)
        made = Instruction("load", self._new(), Int(bits), (self.place(memory),), Int(bits))
        return self._add(made)

    def store(self, memory: Memory, value: Operand) -> None:
        """Write memory."""
        self._hold_declared(reads=False, writes=True)
        self.instructions.append(Instruction("store", "", VOID, (value, self.place(memory)), value.type))

    def update(self, how: str, memory: Memory, value: Operand) -> Operand:
        """Update memory in one step that is a full fence; gives the value before."""
        self._hold_declared(reads=True, writes=True)
        made = Instruction(
            "atomicrmw", self._new(), value.type, (self.place(memory), value), value.type, how, orderings=("seq_cst",)
        )
        return self._add(made)

    def exchange(self, memory: Memory, old: Operand, new: Operand) -> tuple[Operand, Operand]:
        """Compare memory and exchange it in one step that is a full fence; gives the value before, and whether it was
        the old one."""
        self._hold_declared(reads=True, writes=True)
        kind = Struct((old.type, BIT))
        orderings = ("seq_cst", "seq_cst")
        made = Instruction("cmpxchg", self._new(), kind, (self.place(memory), old, new), old.type, orderings=orderings)
        both = self._add(made)
        return tuple(  # type: ignore[return-value]
            self._add(Instruction("extractvalue", self._new(), type_, (both,), indices=(at,)))
            for at, type_ in enumerate(kind.fields)
        )

    def fence(self, ordering: str) -> None:
        """A fence."""
        self.instructions.append(Instruction("fence", "", VOID, orderings=(ordering,)))

    def call(self, name: str, type_: Type, *arguments: Operand) -> Operand:
        """Call a function of the library."""
        result = "" if type_ == VOID else self._new()
        made = Instruction("call", result, type_, (Operand(POINTER, Symbol(name)), *arguments))
        return self._add(made)

    def hold_memory_declared(self) -> None:
        """Find an access by registers that is not declared."""
        if "memory" not in self._clobbered:
            self._hold_declared(reads=True, writes=True)

    # -- flags --------------------------------------------------------------------------------------------------------

    def set_flags(self, kind: str, first: Operand, second: Operand, result: Operand) -> None:
        """Set the flags as an operation does: ``add``, ``sub``, ``logic``, or ``count`` (``inc``, ``dec``)."""
        self._flags = _Flags(kind, first, second, result)

    def set_zero_flag(self, value: Operand) -> None:
        """Set the flag of zero; no other may be used."""
        self._flags = _Flags("zero", value, value, value)

    def condition(self, name: str) -> Operand:
        """Whether a condition holds, by its name in instructions."""
        if self._flags is None:
            raise Unsupported("flags that nothing has set in")
        for base, (names, opposite) in _CONDITIONS.items():
            if name in names or name in opposite:
                found = self._condition(base, self._flags)
                return self.emit("xor", BIT, found, number(1, 1)) if name in opposite else found
        raise Unsupported(f"the condition {name!r} in")

    def _condition(self, base: str, flags: _Flags) -> Operand:
        zero = number(0, _bits(flags.result.type))
        if flags.kind == "zero":
            if base == "z":
                return flags.result
        elif base == "s":
            return self.test("slt", flags.result, zero)
        elif flags.kind == "sub":
            return self.test(_OF_DIFFERENCE[base], flags.first, flags.second)
        elif base == "z":
            return self.test("eq", flags.result, zero)
        elif flags.kind == "logic":
            return number(0, 1) if base == "c" else self.test(_OF_LOGIC[base], flags.result, zero)
        elif flags.kind == "add" and base == "c":
            return self.test("ult", flags.result, flags.first)
        raise Unsupported("a condition of flags that are not modelled in")

    def test(self, how: str, first: Operand, second: Operand) -> Operand:
        """Compare two numbers."""
        return self._add(Instruction("icmp", self._new(), BIT, (first, second), how=how))

    # -- instructions -------------------------------------------------------------------------------------------------

    def emit(self, opcode: str, type_: Type, *operands: Operand) -> Operand:
        """Add an instruction; gives its result."""
        return self._add(Instruction(opcode, self._new(), type_, operands))

    def widened(self, value: Operand) -> Operand:
        """A number as one of 64 bits."""
        return value if _bits(value.type) == 64 else self.emit("zext", Int(64), value)

    def _new(self) -> str:
        return f"{self._prefix}:{len(self.instructions)}"

    def _add(self, made: Instruction) -> Operand:
        self.instructions.append(made)
        value: Value = Local(made.result) if made.result else Undefined()
        return Operand(made.type, value)

    def finish(self, result: str) -> None:
        """Give the whole its result."""
        values = [self._output(key, type_) for key, type_ in zip(self._outputs, self._types(), strict=True)]
        if isinstance(self.type, Struct):
            whole = Operand(self.type, Undefined())
            for at, value in enumerate(values):
                name = result if at == len(values) - 1 else self._new()
                made = Instruction("insertvalue", name, self.type, (whole, value), indices=(at,))
                whole = self._add(made)
        elif values:
            self._add(Instruction("freeze", result, self.type, (values[0],)))
        if not self.instructions:
            self.call("llvm.donothing", VOID)

    def _types(self) -> tuple[Type, ...]:
        if isinstance(self.type, Struct):
            return tuple(self.type.fields)
        return () if self.type == VOID else (self.type,)

    def _output(self, key: str, type_: Type) -> Operand:
        self._spoilt.clear()
        if key.startswith("@cc"):
            return self.emit("zext", type_, self.condition(key[3:]))
        value = self.read(Register(key, 0), _bits(type_))
        return self.emit("inttoptr", type_, value) if isinstance(type_, Pointer) else value


@dataclass(frozen=True, slots=True)
class _Flags:
    kind: str
    first: Operand
    second: Operand
    result: Operand


#: By the flags that they are: the names of a condition, and those of its opposite.
_CONDITIONS: Final = {
    "z": (("e", "z"), ("ne", "nz")),
    "s": (("s",), ("ns",)),
    "c": (("c", "b", "nae"), ("nc", "ae", "nb")),
    "be": (("be", "na"), ("a", "nbe")),
    "l": (("l", "nge"), ("ge", "nl")),
    "le": (("le", "ng"), ("g", "nle")),
}
_OF_DIFFERENCE: Final = {"z": "eq", "c": "ult", "be": "ule", "l": "slt", "le": "sle"}
_OF_LOGIC: Final = {"be": "eq", "l": "slt", "le": "sle"}


def _bits(type_: Type) -> int:
    if isinstance(type_, Int):
        return type_.bits
    if isinstance(type_, Pointer):
        return 64
    raise Unsupported(f"an operand of type {type_} of")


def number(value: int, bits: int) -> Operand:
    """A number of so many bits."""
    return Operand(Int(bits), ConstantValue(value & ((1 << bits) - 1)))
