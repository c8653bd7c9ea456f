"""From a module in LLVM IR to C: each instruction a statement, each block a label.

Integers are unsigned, pointers ``u8 *``, aggregates structures. A call of ``mz_step()`` stands before each instruction
that may be visible to other threads (:func:`mazurka.program.llvm.ir.functions.is_step`), so that the program can count
them as the machine does. Functions of the library are called under their own names. Not supported: C++ and functions
with a variable number of arguments, inline assembly, vectors, and structures passed to the library by value.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from mazurka.program.llvm.expressions import bits_of, constant, elements_of
from mazurka.program.llvm.ir.functions import IGNORED_CALLS, is_step, promoted_in
from mazurka.program.llvm.ir.module import (
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
)
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import Array, Float, Int, Pointer, Struct, Type, Void
from mazurka.program.llvm.machine import OVERRIDDEN
from mazurka.program.llvm.operations import bits_double, bits_float, bits_x86_fp80

#: The number that stands for the address of a symbol: its place among them, and an offset in the lower half.
_SYMBOL: Final = 0x5A << 56

_FLOATS: Final = {"float": "float", "double": "double", "x86_fp80": "long double"}
_BITS: Final = {"float": bits_float, "double": bits_double, "x86_fp80": bits_x86_fp80}
_ORDERED: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OPERATORS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "udiv": "/",
    "urem": "%",
    "fadd": "+",
    "fsub": "-",
    "fmul": "*",
    "fdiv": "/",
}
_UPDATES: Final = {
    "add": "add_fetch",
    "sub": "sub_fetch",
    "and": "and_fetch",
    "or": "or_fetch",
    "xor": "xor_fetch",
    "nand": "nand_fetch",
}
_OVERFLOWING: Final = {"add": "add", "sub": "sub", "mul": "mul"}
_CHOICES: Final = {"max": ">", "min": "<"}


class CWriter:
    """Writes a module. ``replaced`` are functions of the library that the surrounding text defines, under the names
    given."""

    def __init__(self, module: Module, replaced: dict[str, str]) -> None:
        self._module = module
        self._replaced = replaced
        self._symbols = [*module.globals, *module.functions]
        self._structures: dict[str, str] = {}  # the fields of each, by name
        self._externals: dict[str, str] = {}  # declarations, by name
        self._lines: list[str] = []
        self._promoted: dict[str, Type] = {}
        self._types: dict[str, str] = {}  # of the results of a function

    def text(self) -> str:
        """The whole module, without the surrounding text."""
        functions = [
            each for each in self._module.functions.values() if each.blocks and each.name not in self._replaced
        ]
        bodies = [self._function(each) for each in functions]
        headers = [f"{self._header(each)};" for each in functions]
        variables = list(self._variables())
        parts = (self._structures.values(), self._externals.values(), headers, variables, bodies)
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    # -- types and symbols --------------------------------------------------------------------------------------------

    def _type(self, type_: Type) -> str:
        if isinstance(type_, Void):
            return "void"
        if isinstance(type_, Pointer):
            return "u8 *"
        if isinstance(type_, Int) and type_.bits in (1, 8, 16, 32, 64, 128):
            return f"u{max(type_.bits, 8)}"
        if isinstance(type_, Float) and type_.name in _FLOATS:
            return _FLOATS[type_.name]
        if isinstance(type_, Struct) or (isinstance(type_, Array) and not type_.vector):
            return self._structure(type_)
        raise Unsupported(f"a value of type {type_}")

    def _structure(self, type_: Struct | Array) -> str:
        fields = [self._type(kind) for _, kind in elements_of(type_)]
        packed = " __attribute__((packed))" if isinstance(type_, Struct) and type_.packed else ""
        body = " ".join(f"{field} f{number};" for number, field in enumerate(fields))
        text = f"{{ {body} }}{packed}"
        for name, declared in self._structures.items():
            if declared == f"typedef struct {text} {name};":
                return name
        name = f"s{len(self._structures)}"
        self._structures[name] = f"typedef struct {text} {name};"
        return name

    def _symbol(self, name: str) -> str:
        """The address of a symbol."""
        name = self._aliased(name)
        if name in self._module.globals:
            variable = self._module.globals[name]
            if variable.initial is None:
                self._externals[name] = f'extern u8 {_c_name("x", name)}[] __asm__("{name}");'
                return _c_name("x", name)
            return _c_name("g", name)
        return f"(u8 *){self._callee(name)}"

    def _aliased(self, name: str) -> str:
        alias = self._module.aliases.get(name)
        return alias.value.name if alias is not None and isinstance(alias.value, Symbol) else name

    def _is_external(self, name: str) -> bool:
        name = self._aliased(name)
        return name in OVERRIDDEN or not self._module.functions[name].blocks

    def _callee(self, name: str) -> str:
        name = self._aliased(name)
        if name in self._replaced:
            return self._replaced[name]
        function = self._module.functions[name]
        if function.blocks:
            return _c_name("f", name)
        if any(
            isinstance(each, Struct | Array) for each in (function.result, *[kind for _, kind in function.parameters])
        ):
            raise Unsupported(f"a call of {name} with structures")
        kinds = [self._type(kind) for _, kind in function.parameters]
        given = ", ".join([*kinds, *(["..."] if function.variadic and kinds else [])])
        declared = (
            f"{self._type(function.result)} {_c_name('x', name)}({given or ('' if function.variadic else 'void')})"
        )
        self._externals[name] = f'extern {declared} __asm__("{name}");'
        return _c_name("x", name)

    def _number_of(self, name: str) -> int:
        return _SYMBOL + (self._symbols.index(self._aliased(name)) << 32)

    def _variables(self) -> Iterator[str]:
        relocations = []
        for each in self._module.globals.values():
            if each.initial is None or each.name.startswith("llvm."):
                continue
            content = bytearray(max(each.type.size, 1))
            for at, kind, value in self._leaves(each.type, constant(each.initial, self._number_of)):
                if isinstance(value, int) and value >> 56 == _SYMBOL >> 56 and kind.size == 8:
                    name = self._symbols[(value >> 32) & 0xFFFFFF]
                    offset = value & 0xFFFFFFFF
                    relocations.append(
                        f"*(a64 *)({_c_name('g', each.name)} + {at}) = (u64)({self._symbol(name)} + {offset});"
                    )
                else:
                    raw = self._raw(kind, value)
                    content[at : at + len(raw)] = raw
            yield self._variable(each, bytes(content))
        yield "static void mz_relocate(void) {\n" + "\n".join(f"  {each}" for each in relocations) + "\n}"

    def _variable(self, variable: GlobalVariable, content: bytes) -> str:
        kind = "static __thread" if variable.thread_local else "static"
        shown = ", ".join(map(str, content.rstrip(b"\0"))) or "0"
        aligned = f" __attribute__((aligned({max(variable.align, 16)})))"
        return f"{kind} u8 {_c_name('g', variable.name)}[{len(content)}]{aligned} = {{{shown}}};"

    def _leaves(self, type_: Type, value: Any, at: int = 0) -> Iterator[tuple[int, Type, Any]]:
        if value is None:
            return
        if isinstance(type_, Struct | Array):
            for each, (offset, kind) in zip(value, elements_of(type_), strict=True):
                yield from self._leaves(kind, each, at + offset)
        else:
            yield at, type_, value

    def _raw(self, type_: Type, value: Any) -> bytes:
        """The bytes of a scalar."""
        bits = _BITS[type_.name](float(value)) if isinstance(type_, Float) else int(value)
        size = min(type_.size, 10) if isinstance(type_, Float) else (bits_of(type_) + 7) // 8
        return bits.to_bytes(size, "little")

    # -- functions ----------------------------------------------------------------------------------------------------

    def _header(self, function: IrFunction) -> str:
        if function.variadic:
            raise Unsupported(f"{function.name}, a function with a variable number of arguments,")
        given = ", ".join(f"{self._type(kind)} {_local(name)}" for name, kind in function.parameters)
        return f"static {self._type(function.result)} {_c_name('f', function.name)}({given or 'void'})"

    def _function(self, function: IrFunction) -> str:
        self._lines = []
        self._promoted = promoted_in(function)
        self._phis = {
            block.name: [each for each in block.instructions if each.opcode == "phi"] for block in function.blocks
        }
        declared = {name: f"{self._type(kind)} {_local(name)} = 0;" for name, kind in self._promoted.items()}
        for block in function.blocks:
            for each in block.instructions:
                if each.result and each.result not in declared and not isinstance(each.type, Void):
                    declared[each.result] = f"{self._type(each.type)} {_local(each.result)};"
                    if each.opcode == "phi":
                        declared[f"{each.result} next"] = f"{self._type(each.type)} {_local(each.result)}_next;"
        for block in function.blocks:
            self._block(block)
        lines = [f"  {each}" for each in (*declared.values(), *self._lines)]
        return "\n".join([f"{self._header(function)} {{", *lines, "}", ""])

    def _emit(self, text: str) -> None:
        self._lines.append(text)

    def _block(self, block: Block) -> None:
        self._emit(f"{_label(block.name)}:;")
        for each in block.instructions:
            if is_step(each, self._promoted, self._is_external):
                where = f"  /* {os.path.basename(each.location.file)}:{each.location.line} */" if each.location else ""
                self._emit(f"mz_step();{where}")
            self._instruction(block, each)

    def _goto(self, source: Block, to: str) -> str:
        phis = self._phis[to]
        moves = [
            f"{_local(each.result)}_next = {self._value(each.operands[each.labels.index(source.name)])};"
            for each in phis
        ]
        moves += [f"{_local(each.result)} = {_local(each.result)}_next;" for each in phis]
        return " ".join(["{", *moves, f"goto {_label(to)}; }}"])

    def _instruction(self, block: Block, each: Instruction) -> None:
        match each.opcode:
            case "br" if len(each.labels) == 1:
                self._emit(self._goto(block, each.labels[0]))
            case "br":
                self._emit(f"if ({self._value(each.operands[0])} & 1) {self._goto(block, each.labels[0])}")
                self._emit(self._goto(block, each.labels[1]))
            case "switch":
                value = self._value(each.operands[0])
                for operand, label in zip(each.operands[1:], each.labels[1:], strict=True):
                    self._emit(f"if ({value} == {self._value(operand)}) {self._goto(block, label)}")
                self._emit(self._goto(block, each.labels[0]))
            case "ret":
                self._emit(f"return {self._value(each.operands[0])};" if each.operands else "return;")
            case "unreachable":
                self._emit("__builtin_trap();")
            case "phi":
                pass
            case "store":
                self._store(each)
            case "call":
                self._call(each)
            case "fence":
                self._emit("__atomic_thread_fence(__ATOMIC_SEQ_CST);")
            case "alloca":
                self._alloca(each)
            case "cmpxchg":
                self._exchange(each)
            case _:
                self._emit(f"{_local(each.result)} = {self._expression(each)};")

    def _alloca(self, each: Instruction) -> None:
        if each.result in self._promoted:
            return
        assert each.source is not None
        count = f" * {self._value(each.operands[0])}" if each.operands else ""
        self._emit(f"{_local(each.result)} = __builtin_alloca({max(each.source.size, 1)}{count} + 16);")
        self._emit(f"{_local(each.result)} = (u8 *)(((u64){_local(each.result)} + 15) & ~15ull);")

    def _place(self, type_: Type, pointer: str) -> str:
        """The expression of the memory at a pointer."""
        name = self._type(type_)
        if isinstance(type_, Pointer):
            return f"(*(aptr *)({pointer}))"
        if isinstance(type_, Int):
            return f"(*(a{name[1:]} *)({pointer}))"
        return f"(*({name} *)({pointer}))"

    def _store(self, each: Instruction) -> None:
        value, place = each.operands
        if isinstance(place.value, Local) and place.value.name in self._promoted:
            self._emit(f"{_local(place.value.name)} = {self._value(value)};")
        elif each.how:
            where = self._place(value.type, self._value(place))
            self._emit(f"__atomic_store_n(&{where}, {self._value(value)}, __ATOMIC_SEQ_CST);")
        else:
            self._emit(f"{self._place(value.type, self._value(place))} = {self._value(value)};")

    def _exchange(self, each: Instruction) -> None:
        place, old, new = map(self._value, each.operands)
        result = _local(each.result)
        kind = each.operands[1].type
        self._emit(f"{result}.f0 = {old};")
        self._emit(
            f"{result}.f1 = __atomic_compare_exchange_n(&{self._place(kind, place)}, &{result}.f0, {new}, 0,"
            " __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);"
        )

    def _call(self, each: Instruction) -> None:
        called = each.operands[0].value
        name = called.name if isinstance(called, Symbol) else ""
        if name.startswith(IGNORED_CALLS):
            return
        arguments = []
        for number, (operand, copied) in enumerate(
            zip(each.operands[1:], each.copied or (None,) * len(each.operands[1:]), strict=True)
        ):
            value = self._value(operand)
            if copied is not None:
                copy = f"copy{len(self._lines)}_{number}"
                self._emit(
                    f"u8 *{copy} = __builtin_alloca({copied.size}); __builtin_memcpy({copy}, {value}, {copied.size});"
                )
                value = copy
            arguments.append(value)
        if name.startswith("llvm."):
            self._intrinsic(each, name, arguments)
            return
        if name:
            text = f"{self._callee(name)}({', '.join(arguments)})"
        else:
            kinds = ", ".join(self._type(operand.type) for operand in each.operands[1:])
            function = f"(({self._type(each.type)} (*)({kinds or 'void'})){self._value(each.operands[0])})"
            text = f"{function}({', '.join(arguments)})"
        if each.result and not isinstance(each.type, Void):
            text = f"{_local(each.result)} = {text}"
        self._emit(f"{text};")
        if is_step(each, self._promoted, self._is_external):
            self._emit("mz_after();")

    def _intrinsic(self, each: Instruction, name: str, arguments: list[str]) -> None:
        words = name.split(".")
        result = _local(each.result) if each.result else ""
        kind = self._type(each.type)
        if words[1] in ("memcpy", "memmove", "memset"):
            self._emit(f"__builtin_{words[1]}({', '.join(arguments[:3])});")
        elif words[1:3] == ["threadlocal", "address"]:
            self._emit(f"{result} = {arguments[0]};")
        elif words[1] in ("smax", "smin", "umax", "umin"):
            compare = _CHOICES[words[1][1:]]
            cast = f"(i{kind[1:]})" if words[1].startswith("s") else ""
            self._emit(
                f"{result} = {cast}{arguments[0]} {compare} {cast}{arguments[1]} ? {arguments[0]} : {arguments[1]};"
            )
        elif words[1] == "abs":
            self._emit(f"{result} = (i{kind[1:]}){arguments[0]} < 0 ? -{arguments[0]} : {arguments[0]};")
        elif words[1][1:] in _OVERFLOWING and words[2:4] == ["with", "overflow"]:
            kind = f"{'i' if words[1].startswith('s') else 'u'}{words[4][1:]}"
            call = f"__builtin_{words[1][1:]}_overflow(({kind}){arguments[0]}, ({kind}){arguments[1]}, &got)"
            self._emit(f"{{ {kind} got; {result}.f1 = {call}; {result}.f0 = got; }}")
        elif words[1] in ("stacksave", "stackrestore"):
            self._emit(f"{result} = 0;" if result else ";")
        elif words[1] == "expect":
            self._emit(f"{result} = {arguments[0]};")
        elif words[1] in ("fmuladd", "fma"):
            self._emit(f"{result} = {arguments[0]} * {arguments[1]} + {arguments[2]};")
        elif words[1] == "trap":
            self._emit("__builtin_trap();")
        elif words[1] in ("fabs", "sqrt", "floor", "ceil", "trunc"):
            self._emit(f"{result} = __builtin_{words[1]}({arguments[0]});")
        else:
            raise Unsupported(f"the function {name}")

    # -- expressions --------------------------------------------------------------------------------------------------

    def _value(self, operand: Operand) -> str:
        value, type_ = operand.value, operand.type
        match value:
            case Local(name):
                return _local(name)
            case Symbol(name):
                return self._symbol(name)
            case Undefined() | ConstantValue() | ConstantExpression():
                return self._literal(constant(operand, self._number_of), type_)
        raise Unsupported(f"the value {value}")

    def _literal(self, value: Any, type_: Type) -> str:
        if isinstance(type_, Struct | Array):
            kinds = [kind for _, kind in elements_of(type_)]
            values = value if value is not None else [None] * len(kinds)
            return f"({self._type(type_)}){{{', '.join(map(self._literal, values, kinds))}}}"
        if isinstance(type_, Float):
            return repr(float(value or 0.0)).replace("inf", "__builtin_inf()").replace("nan", '__builtin_nan("")')
        number = int(value or 0)
        if number >> 56 == _SYMBOL >> 56 and type_.size == 8:
            text = f"({self._symbol(self._symbols[(number >> 32) & 0xFFFFFF])} + {number & 0xFFFFFFFF})"
            return text if isinstance(type_, Pointer) else f"(u64){text}"
        if isinstance(type_, Pointer):
            return f"(u8 *){number}ull"
        if number >> 64:
            return f"((u128){number >> 64}ull << 64 | {number & (1 << 64) - 1}ull)"
        return f"({self._type(type_)}){number}ull"

    def _expression(self, each: Instruction) -> str:  # noqa: C901
        opcode, type_ = each.opcode, each.type
        if opcode == "load":
            place = each.operands[0]
            if isinstance(place.value, Local) and place.value.name in self._promoted:
                return _local(place.value.name)
            where = self._place(type_, self._value(place))
            return f"__atomic_load_n(&{where}, __ATOMIC_SEQ_CST)" if each.how else where
        if opcode == "getelementptr":
            return self._address_of(each)
        given = [self._value(operand) for operand in each.operands]
        kinds = [operand.type for operand in each.operands]
        if any(isinstance(kind, Array) and kind.vector for kind in (type_, *kinds)):
            raise Unsupported("vectors")
        if opcode == "extractvalue":
            return given[0] + "".join(f".f{index}" for index in each.indices)
        if opcode == "insertvalue":
            path = "".join(f".f{index}" for index in each.indices)
            return f"({{ {self._type(type_)} whole = {given[0]}; whole{path} = {given[1]}; whole; }})"
        if opcode == "atomicrmw":
            where = f"&{self._place(type_, given[0])}"
            if each.how == "xchg" and not isinstance(type_, Float):
                return f"__atomic_exchange_n({where}, {given[1]}, __ATOMIC_SEQ_CST)"
            if each.how not in _UPDATES or not isinstance(type_, Int):
                raise Unsupported(f"the atomic update {each.how!r}")
            return f"__atomic_fetch_{each.how}({where}, {given[1]}, __ATOMIC_SEQ_CST)"
        if opcode == "select":
            return f"{given[0]} & 1 ? {given[1]} : {given[2]}"
        if opcode == "icmp":
            how = each.how
            cast = f"(i{self._type(kinds[0])[1:]})" if how.startswith("s") else ""
            operator = _ORDERED[how if how in ("eq", "ne") else how[1:]]
            return f"{cast}{given[0]} {operator} {cast}{given[1]}"
        if opcode == "fcmp":
            return self._float_test(each.how, *given)
        if opcode == "fneg":
            return f"-{given[0]}"
        if opcode == "frem":
            return f"__builtin_fmod({given[0]}, {given[1]})"
        if opcode in _OPERATORS:
            text = f"{given[0]} {_OPERATORS[opcode]} {given[1]}"
            return f"({text}) & 1" if isinstance(type_, Int) and type_.bits == 1 else text
        return self._conversion(each, given, kinds)

    def _conversion(self, each: Instruction, given: list[str], kinds: list[Type]) -> str:
        opcode, type_, source, first = each.opcode, each.type, kinds[0], given[0]
        name = self._type(type_)
        if opcode in ("freeze", "zext"):
            return f"({name}){first}"
        if opcode == "trunc":
            return f"({name}){first}" + (" & 1" if isinstance(type_, Int) and type_.bits == 1 else "")
        if opcode in ("ptrtoint", "inttoptr"):
            return f"({name})(u64){first}"
        if opcode in ("fptrunc", "fpext", "uitofp"):
            return f"({name}){first}"
        if opcode == "bitcast":
            return (
                f"({{ {self._type(source)} from = {first}; {name} to; __builtin_memcpy(&to, &from, sizeof to); to; }})"
            )
        if opcode == "fptoui":
            return f"({name}){first}"
        signed = f"i{name[1:]}"
        if opcode == "fptosi":
            return f"({name})({signed}){first}"
        narrow = f"(i{self._type(source)[1:]})" if isinstance(source, Int) else ""
        if opcode == "sitofp":
            return f"({name}){narrow}{first}"
        if opcode == "sext":
            if isinstance(source, Int) and source.bits == 1:
                return f"({name})-(i64)({first} & 1)"
            return f"({name})({signed}){narrow}{first}"
        if opcode in ("sdiv", "srem"):
            return f"({name})(({signed}){first} {'/' if opcode == 'sdiv' else '%'} ({signed}){given[1]})"
        if opcode in ("shl", "lshr"):
            return f"({name})({first} {'<<' if opcode == 'shl' else '>>'} {given[1]})"
        if opcode == "ashr":
            return f"({name})(({signed}){first} >> {given[1]})"
        raise Unsupported(f"the instruction {opcode!r}")

    def _float_test(self, how: str, one: str, other: str) -> str:
        if how in ("true", "false"):
            return str(int(how == "true"))
        ordered = f"({one} == {one} && {other} == {other})"
        if how in ("ord", "uno"):
            return ordered if how == "ord" else f"!{ordered}"
        test = f"{one} {_ORDERED[how[1:]]} {other}"
        return f"{ordered} && {test}" if how.startswith("o") else f"!{ordered} || {test}"

    def _address_of(self, each: Instruction) -> str:
        base, *indices = each.operands
        type_ = each.source
        assert type_ is not None
        fixed, terms = 0, []
        for number, index in enumerate(indices):
            if number and isinstance(type_, Struct):
                at = int(constant(index, self._number_of) or 0)
                fixed += type_.offset(at)
                type_ = type_.fields[at]
                continue
            if number:
                if not isinstance(type_, Array) or type_.vector:
                    raise Unsupported(f"an index into the type {type_}")
                type_ = type_.element
            terms.append(f" + (i64)(i{bits_of(index.type)}){self._value(index)} * {type_.size}")
        return f"{self._value(base)}{''.join(terms)} + {fixed}"


def _c_name(kind: str, name: str) -> str:
    return f"{kind}_" + "".join(each if each.isalnum() or each == "_" else f"_{ord(each):x}_" for each in name)


def _local(name: str) -> str:
    return _c_name("v", name)


def _label(name: str) -> str:
    return _c_name("l", name)
