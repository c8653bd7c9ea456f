"""Reads a module from the text that LLVM prints. llvmlite verifies the text first, so that the reader trusts it.

Source: the LLVM language reference. Attributes, linkage and metadata that change no result are skipped. All other parts
that the reader does not know are errors, which name them and their places.
"""

from __future__ import annotations

import re
import struct
from typing import Any, Final

from mazurka.program.llvm.ir.debug import DebugMetadata, structure_name
from mazurka.program.llvm.ir.inline_assembly import assembled
from mazurka.program.llvm.ir.module import (
    VARIADIC,
    Block,
    ConstantExpression,
    ConstantValue,
    GlobalVariable,
    Instruction,
    IrFunction,
    Local,
    Module,
    Operand,
    Symbol,
    Undefined,
    Value,
)
from mazurka.program.llvm.ir.tokens import Cursor, Unsupported, name_of, text_error, tokens_of
from mazurka.program.llvm.ir.types import POINTER, VOID, Array, Float, Int, Struct, Type
from mazurka.trace.event import Location

_LINKAGE: Final = frozenset(
    """private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr external
    default hidden protected dllimport dllexport dso_local dso_preemptable unnamed_addr local_unnamed_addr
    externally_initialized ccc fastcc coldcc""".split()
)
_FLAGS: Final = frozenset(
    """nuw nsw exact disjoint nneg inbounds nusw samesign fast nnan ninf nsz arcp contract afn reassoc volatile inrange
    tail musttail notail inalloca""".split()
)
_ORDERINGS: Final = frozenset("unordered monotonic acquire release acq_rel seq_cst".split())
_ASSEMBLY: Final = frozenset("sideeffect alignstack inteldialect unwind".split())
_VALUES: Final = frozenset("true false null none undef poison zeroinitializer splat blockaddress asm".split())
_EXPRESSIONS: Final = frozenset(
    "getelementptr ptrtoint inttoptr bitcast addrspacecast trunc zext sext add sub mul xor and or shl".split()
)
_BINARY: Final = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split())
_CASTS: Final = frozenset(
    """trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast""".split()
)
#: Instructions of x86-64 that C has functions for, and their orderings.
_FENCES: Final = {
    "llvm.x86.sse2.mfence": "seq_cst",
    "llvm.x86.sse2.lfence": "acquire",
    "llvm.x86.sse.sfence": "release",
}

_CALLS: Final = ("call", "invoke")
_CONTINUATIONS: Final = ("to label ", "catch ", "filter ", "cleanup")
_LABEL: Final = re.compile(r'^([-\w$.]+|"[^"]*"):')
_ESCAPE: Final = re.compile(rb"\\([0-9A-Fa-f]{2})|\\\\")


def read_module(text: str, path: str) -> Module:
    """The module that a text describes; ``path`` names it in errors.

    Raises :class:`~mazurka.errors.UsageError` for parts that are not supported.
    """
    return _Reader(text.splitlines(), path).read()


class _Reader:
    def __init__(self, lines: list[str], path: str) -> None:
        self.lines = lines
        self.path = path
        self.module = Module()
        self.debug = DebugMetadata(lines)
        self.at = 0
        self.location: Location | None = None  # of the instruction that is being read

    def read(self) -> Module:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            try:
                self._top_level(line)
            except Unsupported as error:
                raise text_error(self.path, self.at, str(error), self.location) from None
        named = self.debug.fields()
        self.module.field_names = {name: named.get(structure_name(name), {}) for name in self.module.structs}
        return self.module

    def _top_level(self, line: str) -> None:
        if line.startswith("%"):
            cursor = Cursor(tokens_of(line))
            kind = self._named(name_of(cursor.next()))
            cursor.expect("=")
            cursor.expect("type")
            if not cursor.take("opaque"):
                found = self.type(cursor)
                assert isinstance(found, Struct)
                kind.fields, kind.packed = found.fields, found.packed
        elif line.startswith("@"):
            self._global(line)
        elif line.startswith("declare"):
            function, _ = self._header(Cursor(tokens_of(line)))
            self.module.functions.setdefault(function.name, function)
        elif line.startswith("define"):
            self._function(line)
        elif line.startswith("module asm"):
            raise Unsupported("assembly of the module")

    def _named(self, name: str) -> Struct:
        found: Struct = self.module.structs.setdefault(name, Struct(name=name))
        return found

    def _global(self, line: str) -> None:
        cursor = Cursor(tokens_of(line))
        name = name_of(cursor.next())
        cursor.expect("=")
        thread_local = False
        while True:
            if cursor.peek() in _LINKAGE:
                cursor.next()
            elif cursor.take("thread_local"):
                thread_local = True
                cursor.skip_parentheses()
            elif cursor.take("addrspace"):
                cursor.skip_parentheses()
            else:
                break
        kind = cursor.next()
        if kind == "alias":
            self.type(cursor)
            cursor.skip_parentheses()  # the parameters of a function
            cursor.expect(",")
            self.module.aliases[name] = self.operand(cursor)
            return
        if kind not in ("global", "constant"):
            raise Unsupported(f"a global {kind!r}")
        type_ = self.type(cursor)
        initial = None
        if cursor.peek() not in (",", ""):
            initial = Operand(type_, self.value(cursor, type_))
        align = 0
        while cursor.take(","):
            if cursor.take("align"):
                align = int(cursor.next())
            else:
                cursor.next()
                cursor.skip_parentheses()
        location = self.debug.of_global(line)
        self.module.globals[name] = GlobalVariable(
            name,
            type_,
            initial,
            kind == "constant",
            thread_local,
            align or type_.align,
            location,
            self.debug.name_of_global(line),
        )

    # -- functions ----------------------------------------------------------------------------------------------------

    def _header(self, cursor: Cursor) -> tuple[IrFunction, Cursor]:
        cursor.next()
        while cursor.peek() in _LINKAGE or cursor.peek().startswith("!"):
            cursor.next()
        self._skip_attributes(cursor)
        result = self.type(cursor)
        name = name_of(cursor.next())
        cursor.expect("(")
        parameters: list[tuple[str, Type]] = []
        variadic = False
        while not cursor.take(")"):
            if cursor.take("..."):
                variadic = True
                continue
            type_ = self.type(cursor)
            self._skip_attributes(cursor)
            parameters.append((name_of(cursor.next()) if cursor.peek().startswith("%") else "", type_))
            cursor.take(",")
        parameters = [(name or str(number), type_) for number, (name, type_) in enumerate(parameters)]
        return IrFunction(name, result, tuple(parameters), variadic), cursor

    def _function(self, line: str) -> None:
        function, _ = self._header(Cursor(tokens_of(line)))
        function.location = self.debug.of_function(line)
        self.module.functions[function.name] = function
        block = Block(self._first_label(function))
        function.blocks.append(block)
        while True:
            line = self.lines[self.at]
            self.at += 1
            if line.startswith("}"):
                return
            text = line.strip()
            if not text or text.startswith(";"):
                continue
            if text.startswith("#dbg_"):
                if named := self.debug.variable(text):
                    function.variables[named[0]] = named[1]
            elif not line[0].isspace() and (label := _LABEL.match(line)):
                name = label[1].strip('"')
                if block.instructions or len(function.blocks) > 1:
                    block = Block(name)
                    function.blocks.append(block)
                else:
                    block.name = name
            else:
                while text.count("[") > text.count("]") or self.lines[self.at].strip().startswith(_CONTINUATIONS):
                    text += " " + self.lines[self.at].strip()  # a switch, an invoke, or a landing pad
                    self.at += 1
                for instruction in self._instructions(text):
                    instruction.line = self.at
                    block.instructions.append(instruction)

    def _first_label(self, function: IrFunction) -> str:
        unnamed = [name for name, _ in function.parameters if name.isdigit()]
        return str(len(unnamed))

    def _instructions(self, text: str) -> list[Instruction]:
        """The instruction of a text; those that inline assembly becomes may be several."""
        self.location = self.debug.of_instruction(text)
        made = self._made(text)
        for each in made:
            each.location = self.location
        self.location = None
        return made

    def _made(self, text: str) -> list[Instruction]:
        cursor = Cursor(tokens_of(text))
        result = ""
        if cursor.peek().startswith("%") and cursor.peek(1) == "=":
            result = name_of(cursor.next())
            cursor.next()
        cursor.take_words(_FLAGS)
        opcode = cursor.next()
        return self._call(opcode, result, cursor) if opcode in _CALLS else [self._read(opcode, result, cursor)]

    def _read(self, opcode: str, result: str, cursor: Cursor) -> Instruction:  # noqa: C901
        if opcode in _BINARY:
            cursor.take_words(_FLAGS)
            first = self.operand(cursor)
            cursor.expect(",")
            second = Operand(first.type, self.value(cursor, first.type))
            return Instruction(opcode, result, first.type, (first, second))
        if opcode in _CASTS:
            cursor.take_words(_FLAGS)
            first = self.operand(cursor)
            cursor.expect("to")
            return Instruction(opcode, result, self.type(cursor), (first,))
        match opcode:
            case "load":
                return self._load(result, cursor)
            case "store":
                return self._store(cursor)
            case "getelementptr":
                cursor.take_words(_FLAGS)
                source = self.type(cursor)
                cursor.expect(",")
                return Instruction(opcode, result, POINTER, self._operands(cursor), source)
            case "alloca":
                cursor.take_words(_FLAGS)
                source = self.type(cursor)
                operands: tuple[Operand, ...] = ()
                if cursor.peek() == "," and cursor.peek(1) not in ("align", "addrspace") and cursor.peek(1)[0] != "!":
                    cursor.next()
                    operands = (self.operand(cursor),)
                return Instruction(opcode, result, POINTER, operands, source)
            case "icmp" | "fcmp":
                cursor.take_words(_FLAGS)
                how = cursor.next()
                first = self.operand(cursor)
                cursor.expect(",")
                second = Operand(first.type, self.value(cursor, first.type))
                kind: Type = Int(1)
                if isinstance(first.type, Array):
                    kind = Array(first.type.count, Int(1), vector=True)
                return Instruction(opcode, result, kind, (first, second), how=how)
            case "br":
                return self._branch(cursor)
            case "switch":
                return self._switch(cursor)
            case "ret":
                if cursor.take("void"):
                    return Instruction(opcode, "", VOID)
                return Instruction(opcode, "", VOID, (self.operand(cursor),))
            case "unreachable":
                return Instruction(opcode, "", VOID)
            case "landingpad":
                return self._landing_pad(result, cursor)
            case "resume":
                return Instruction(opcode, "", VOID, (self.operand(cursor),))
            case "phi":
                cursor.take_words(_FLAGS)
                return self._phi(result, cursor)
            case "select":
                cursor.take_words(_FLAGS)
                parts = self._operands(cursor)
                return Instruction(opcode, result, parts[1].type, parts)
            case "freeze" | "fneg":
                cursor.take_words(_FLAGS)
                first = self.operand(cursor)
                return Instruction(opcode, result, first.type, (first,))
            case "extractvalue" | "insertvalue":
                return self._part(opcode, result, cursor)
            case "extractelement" | "insertelement":
                parts = self._operands(cursor)
                whole = parts[0].type
                assert isinstance(whole, Array)
                kind = whole if opcode == "insertelement" else whole.element
                return Instruction(opcode, result, kind, parts)
            case "shufflevector":
                parts = self._operands(cursor)
                assert isinstance(parts[0].type, Array)
                assert isinstance(parts[2].type, Array)
                kind = Array(parts[2].type.count, parts[0].type.element, vector=True)
                return Instruction(opcode, result, kind, parts)
            case "atomicrmw":
                return self._update(result, cursor)
            case "cmpxchg":
                return self._exchange(result, cursor)
            case "fence":
                return Instruction(opcode, "", VOID, orderings=self._orderings(cursor))
        raise Unsupported(f"the instruction {opcode!r}")

    def _load(self, result: str, cursor: Cursor) -> Instruction:
        atomic = cursor.take("atomic")
        cursor.take_words(_FLAGS)
        type_ = self.type(cursor)
        cursor.expect(",")
        place = self.operand(cursor)
        how = "atomic" if atomic else ""
        return Instruction("load", result, type_, (place,), type_, how, orderings=self._orderings(cursor))

    def _store(self, cursor: Cursor) -> Instruction:
        atomic = cursor.take("atomic")
        cursor.take_words(_FLAGS)
        value = self.operand(cursor)
        cursor.expect(",")
        place = self.operand(cursor)
        how = "atomic" if atomic else ""
        return Instruction("store", "", VOID, (value, place), value.type, how, orderings=self._orderings(cursor))

    def _update(self, result: str, cursor: Cursor) -> Instruction:
        cursor.take_words(_FLAGS)
        how = cursor.next()
        place = self.operand(cursor)
        cursor.expect(",")
        value = self.operand(cursor)
        orderings = self._orderings(cursor)
        return Instruction("atomicrmw", result, value.type, (place, value), value.type, how, orderings=orderings)

    def _exchange(self, result: str, cursor: Cursor) -> Instruction:
        cursor.take("weak")
        cursor.take_words(_FLAGS)
        place = self.operand(cursor)
        cursor.expect(",")
        old = self.operand(cursor)
        cursor.expect(",")
        new = self.operand(cursor)
        kind = Struct((old.type, Int(1)))
        return Instruction("cmpxchg", result, kind, (place, old, new), old.type, orderings=self._orderings(cursor))

    def _orderings(self, cursor: Cursor) -> tuple[str, ...]:
        if cursor.take("syncscope"):
            cursor.skip_parentheses()
        return cursor.take_words(_ORDERINGS)

    def _branch(self, cursor: Cursor) -> Instruction:
        if cursor.take("label"):
            return Instruction("br", "", VOID, labels=(name_of(cursor.next()),))
        test = self.operand(cursor)
        labels = []
        while cursor.take(",") and cursor.take("label"):
            labels.append(name_of(cursor.next()))
        return Instruction("br", "", VOID, (test,), labels=tuple(labels))

    def _switch(self, cursor: Cursor) -> Instruction:
        operands = [self.operand(cursor)]
        cursor.expect(",")
        cursor.expect("label")
        labels = [name_of(cursor.next())]
        cursor.expect("[")
        while not cursor.take("]"):
            operands.append(self.operand(cursor))
            cursor.expect(",")
            cursor.expect("label")
            labels.append(name_of(cursor.next()))
        return Instruction("switch", "", VOID, tuple(operands), labels=tuple(labels))

    def _phi(self, result: str, cursor: Cursor) -> Instruction:
        type_ = self.type(cursor)
        operands, labels = [], []
        while True:
            cursor.expect("[")
            operands.append(Operand(type_, self.value(cursor, type_)))
            cursor.expect(",")
            labels.append(name_of(cursor.next()))
            cursor.expect("]")
            if not (cursor.peek() == "," and cursor.peek(1) == "["):
                break
            cursor.next()
        return Instruction("phi", result, type_, tuple(operands), labels=tuple(labels))

    def _landing_pad(self, result: str, cursor: Cursor) -> Instruction:
        """The clauses are the operands: a pointer is caught, an array is a filter."""
        type_ = self.type(cursor)
        how = ""
        clauses = []
        while cursor.peek() in ("cleanup", "catch", "filter"):
            if cursor.next() == "cleanup":
                how = "cleanup"
            else:
                clauses.append(self.operand(cursor))
        return Instruction("landingpad", result, type_, tuple(clauses), how=how)

    def _part(self, opcode: str, result: str, cursor: Cursor) -> Instruction:
        operands = [self.operand(cursor)]
        cursor.expect(",")
        if opcode == "insertvalue":
            operands.append(self.operand(cursor))
            cursor.expect(",")
        indices = [int(cursor.next())]
        while cursor.peek() == "," and cursor.peek(1).isdigit():
            cursor.next()
            indices.append(int(cursor.next()))
        type_ = operands[0].type
        if opcode == "extractvalue":
            for index in indices:
                type_ = type_.element if isinstance(type_, Array) else type_.fields[index]  # type: ignore[attr-defined]
        return Instruction(opcode, result, type_, tuple(operands), indices=tuple(indices))

    def _call(self, opcode: str, result: str, cursor: Cursor) -> list[Instruction]:
        cursor.take_words(_FLAGS)
        while cursor.peek() in _LINKAGE:
            cursor.next()
        self._skip_attributes(cursor)
        type_ = self.type(cursor)
        how = ""
        if cursor.peek() == "(":  # the type of the function
            how = VARIADIC if "..." in cursor.skip_parentheses() else ""
        if opcode == "call" and cursor.take("asm"):
            return self._assembly(result, type_, cursor)
        called = Operand(POINTER, self.value(cursor, POINTER))
        if isinstance(called.value, Symbol) and (ordering := _FENCES.get(called.value.name)):
            return [Instruction("fence", "", VOID, orderings=(ordering,))]
        operands, copied = self._arguments(cursor)
        labels = []
        while cursor.peek() and cursor.peek() != "to":
            cursor.next()
        if opcode == "invoke":
            cursor.expect("to")
            cursor.expect("label")
            labels.append(name_of(cursor.next()))
            cursor.expect("unwind")
            cursor.expect("label")
            labels.append(name_of(cursor.next()))
        operands = (called, *operands)
        return [Instruction(opcode, result, type_, operands, how=how, labels=tuple(labels), copied=copied)]

    def _assembly(self, result: str, type_: Type, cursor: Cursor) -> list[Instruction]:
        if "inteldialect" in cursor.take_words(_ASSEMBLY):
            raise Unsupported("inline assembly in the syntax of Intel")
        template = cursor.next().strip('"')
        cursor.expect(",")
        constraints = cursor.next().strip('"')
        inputs, _ = self._arguments(cursor)
        return assembled(result, type_, template, constraints, inputs, f"asm {self.at}")

    def _arguments(self, cursor: Cursor) -> tuple[tuple[Operand, ...], tuple[Type | None, ...]]:
        """The arguments of a call, and for each the type of the object that it is a copy of."""
        operands: list[Operand] = []
        copied: list[Type | None] = []
        cursor.expect("(")
        while not cursor.take(")"):
            kind = self.type(cursor)
            if str(kind) == "metadata":
                cursor.next()
                cursor.skip_parentheses()
            else:
                copied.append(self._skip_attributes(cursor))
                operands.append(Operand(kind, self.value(cursor, kind)))
            cursor.take(",")
        return tuple(operands), tuple(copied)

    def _skip_attributes(self, cursor: Cursor) -> Type | None:
        """Skip the attributes of a parameter or result; returns the type of ``byval``."""
        copied = None
        while True:
            token = cursor.peek()
            if not token or not (token[0].isalpha() or token.startswith("#")):
                return copied
            if token in _VALUES or token in _EXPRESSIONS or self._begins_type(token) or token.startswith('c"'):
                return copied
            cursor.next()
            if token == "align":
                cursor.next()
            elif token == "byval":
                cursor.expect("(")
                copied = self.type(cursor)
                cursor.expect(")")
            else:
                cursor.skip_parentheses()

    def _begins_type(self, token: str) -> bool:
        return token in _TYPES or bool(re.fullmatch(r"i\d+", token))

    # -- types and values ---------------------------------------------------------------------------------------------

    def type(self, cursor: Cursor) -> Type:
        """Read a type."""
        token = cursor.next()
        if found := _TYPES.get(token):
            if token == "ptr" and cursor.take("addrspace"):
                raise Unsupported("an address space")
            return found
        if re.fullmatch(r"i\d+", token):
            return Int(int(token[1:]))
        if token.startswith("%"):
            return self._named(name_of(token))
        if token == "[":
            count = int(cursor.next())
            cursor.expect("x")
            element = self.type(cursor)
            cursor.expect("]")
            return Array(count, element)
        if token == "<" and cursor.peek() != "{":
            count = int(cursor.next())
            cursor.expect("x")
            element = self.type(cursor)
            cursor.expect(">")
            return Array(count, element, vector=True)
        if token in ("{", "<"):
            packed = token == "<"
            if packed:
                cursor.expect("{")
            fields = []
            while not cursor.take("}"):
                fields.append(self.type(cursor))
                cursor.take(",")
            if packed:
                cursor.expect(">")
            return Struct(tuple(fields), packed)
        raise Unsupported(f"the type {token!r}")

    def operand(self, cursor: Cursor) -> Operand:
        """Read a type and a value of it."""
        type_ = self.type(cursor)
        self._skip_attributes(cursor)
        return Operand(type_, self.value(cursor, type_))

    def _operands(self, cursor: Cursor) -> tuple[Operand, ...]:
        found = [self.operand(cursor)]
        while cursor.peek() == "," and not cursor.peek(1).startswith("!"):
            cursor.next()
            found.append(self.operand(cursor))
        return tuple(found)

    def value(self, cursor: Cursor, type_: Type) -> Value:
        """Read a value of a type."""
        token = cursor.next()
        if token.startswith("%"):
            return Local(name_of(token))
        if token.startswith("@"):
            return Symbol(name_of(token))
        if token in ("true", "false"):
            return ConstantValue(int(token == "true"))
        if token in ("null", "zeroinitializer", "none"):
            return ConstantValue(None)
        if token in ("undef", "poison"):
            return Undefined()
        if token.startswith('c"'):
            return ConstantValue(_bytes(token[2:-1]))
        if isinstance(type_, Float):
            return ConstantValue(_float(token, type_))
        if re.fullmatch(r"-?\d+", token):
            assert isinstance(type_, Int)
            return ConstantValue(int(token) & ((1 << type_.bits) - 1))
        if token in ("[", "{", "<"):
            closing = {"[": "]", "{": "}", "<": ">"}[token]
            packed = token == "<" and cursor.take("{")
            parts = []
            while cursor.peek() not in (closing, "}"):
                parts.append(self.operand(cursor))
                cursor.take(",")
            cursor.next()
            if packed:
                cursor.expect(">")
            return ConstantValue(parts)
        if token == "splat":
            cursor.expect("(")
            part = self.operand(cursor)
            cursor.expect(")")
            assert isinstance(type_, Array)
            return ConstantValue([part] * type_.count)
        if token in _EXPRESSIONS:
            return self._expression(token, cursor)
        raise Unsupported(f"the value {token!r}")

    def _expression(self, opcode: str, cursor: Cursor) -> ConstantExpression:
        if "inrange" in cursor.take_words(_FLAGS) and cursor.peek(1)[:1] in "-0123456789":
            cursor.skip_parentheses()
        cursor.expect("(")
        source = None
        if opcode == "getelementptr":
            source = self.type(cursor)
            cursor.expect(",")
        operands = [self.operand(cursor)]
        while cursor.take(","):
            operands.append(self.operand(cursor))
        type_: Type = POINTER if opcode == "getelementptr" else operands[0].type
        if cursor.take("to"):
            type_ = self.type(cursor)
        cursor.expect(")")
        return ConstantExpression(opcode, type_, tuple(operands), source)


_TYPES: Final[dict[str, Type]] = {
    "ptr": POINTER,
    "void": VOID,
    "label": VOID,
    "metadata": type("_Metadata", (Struct,), {"__str__": lambda self: "metadata"})(),
    **{name: Float(name) for name in ("half", "float", "double", "x86_fp80")},
}


def _bytes(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]) if match[1] else b"\\", raw)


def _float(token: str, type_: Float) -> Any:
    if token.startswith("0xK"):
        number = int(token[3:], 16)
        sign, exponent, mantissa = number >> 79, (number >> 64) & 0x7FFF, number & ((1 << 64) - 1)
        value = mantissa * 2.0 ** (exponent - 16383 - 63) if exponent < 16383 + 1024 else float("inf")
        return -value if sign else value
    if token.startswith("0xH"):
        return struct.unpack("<e", int(token[3:], 16).to_bytes(2, "little"))[0]
    if token.startswith("0x"):
        return struct.unpack("<d", int(token, 0).to_bytes(8, "little"))[0]
    return float(token)
