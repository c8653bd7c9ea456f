"""Python expressions for values and operations of LLVM IR.

Integers are their unsigned values: where the sign matters they are converted. Source: the LLVM language reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from mazurka.program.llvm.ir.module import ConstantExpression, ConstantValue, Operand, Symbol, Undefined
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import Array, Float, Int, Pointer, Struct, Type

_SIGNED: Final = {"slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
_UNSIGNED: Final = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_FLOAT_TESTS: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

#: Operators of Python for instructions on the bits of integers.
BITWISE: Final = {"and": "&", "or": "|", "xor": "^"}


def constant(operand: Operand, address: Callable[[str], int]) -> Any:
    """The value of a constant: an int, a float, None (zero), bytes, or a list of the values of its elements."""
    value, type_ = operand.value, operand.type
    if isinstance(value, Symbol):
        return address(value.name)
    if isinstance(value, Undefined):
        return None
    if isinstance(value, ConstantValue):
        if isinstance(value.value, list):
            return [constant(each, address) for each in value.value]
        if value.value is None and isinstance(type_, Int | Pointer):
            return 0
        if value.value is None and isinstance(type_, Float):
            return 0.0
        return value.value
    if isinstance(value, ConstantExpression):
        given = [constant(each, address) or 0 for each in value.operands]
        if value.opcode == "getelementptr":
            at, kind = given[0], value.source
            assert kind is not None
            for number, (index, each) in enumerate(zip(given[1:], value.operands[1:], strict=True)):
                if number and isinstance(kind, Struct):
                    at += kind.offset(index)
                    kind = kind.fields[index]
                    continue
                if number:
                    assert isinstance(kind, Array)
                    kind = kind.element
                at += as_signed(index, bits_of(each.type)) * kind.size
            return at & ((1 << 64) - 1)
        mask = (1 << bits_of(value.type)) - 1 if not isinstance(value.type, Float) else -1
        if value.opcode in ("ptrtoint", "inttoptr", "bitcast", "trunc", "zext"):
            return given[0] & mask
        operation = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "xor": int.__xor__}
        if value.opcode in operation:
            return operation[value.opcode](given[0], given[1]) & mask
        raise Unsupported(f"the constant expression {value.opcode!r}")
    raise Unsupported(f"the constant {value}")


def literal(value: Any, type_: Type) -> str:
    """The expression of a constant of a type."""
    if value is None:
        return zero(type_)
    if isinstance(value, bytes):
        return f"({', '.join(map(str, value))},)"
    if isinstance(value, list):
        kinds = [kind for _, kind in elements_of(type_)]
        return f"({', '.join(literal(each, kind) for each, kind in zip(value, kinds, strict=True))},)"
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else f"float({str(value)!r})"
    return str(value)


def zero(type_: Type) -> str:
    """The expression of a type's zero."""
    if isinstance(type_, Float):
        return "0.0"
    if isinstance(type_, Array | Struct):
        return f"({', '.join(zero(kind) for _, kind in elements_of(type_))},)"
    return "0"


def elements_of(type_: Type) -> list[tuple[int, Type]]:
    """The offsets and types of the elements of an aggregate or vector."""
    if isinstance(type_, Array):
        return [(index * type_.element.size, type_.element) for index in range(type_.count)]
    assert isinstance(type_, Struct)
    return [(type_.offset(index), kind) for index, kind in enumerate(type_.fields)]


def parts_of(type_: Type, value: str) -> Iterator[tuple[int, Type, str]]:
    """The scalars of a value: their offsets, types and expressions."""
    if isinstance(type_, Array | Struct):
        for index, (offset, kind) in enumerate(elements_of(type_)):
            for more, scalar, text in parts_of(kind, f"{value}[{index}]"):
                yield offset + more, scalar, text
    else:
        yield 0, type_, value


def bits_of(type_: Type) -> int:
    """The bits of a scalar type."""
    return type_.bits if isinstance(type_, Int) else type_.size * 8


def bytes_of(type_: Type) -> int:
    """The bytes that a scalar has in memory."""
    if isinstance(type_, Float) and type_.name == "x86_fp80":
        return 16
    return (bits_of(type_) + 7) // 8


def to_bits(type_: Type, value: str) -> str:
    """The expression of the bits of a scalar."""
    return f"bits_{type_.name}({value})" if isinstance(type_, Float) else value


def from_bits(type_: Type, bits: str) -> str:
    """The expression of the scalar that has these bits."""
    if isinstance(type_, Float):
        return f"float_{type_.name}({bits})"
    return f"{bits} & 1" if isinstance(type_, Int) and type_.bits == 1 else bits


def signed(type_: Type, value: str) -> str:
    """The expression of an integer's signed value."""
    sign = 1 << bits_of(type_) - 1
    return str(as_signed(int(value), bits_of(type_))) if value.isdigit() else f"(({value} ^ {sign}) - {sign})"


def as_signed(value: int, bits: int) -> int:
    """The signed value of an integer of so many bits."""
    sign = 1 << bits - 1
    return (value & ((1 << bits) - 1) ^ sign) - sign


def rounded(type_: Type, expression: str) -> str:
    """An expression, rounded where the type is single precision."""
    return f"single({expression})" if isinstance(type_, Float) and type_.name == "float" else expression


def fitted(type_: Type, expression: str) -> str:
    """The result of a function of the library, which may be negative."""
    return f"{expression} & {(1 << bits_of(type_)) - 1}" if isinstance(type_, Int | Pointer) else expression


def integer_test(how: str, type_: Type, one: str, other: str) -> str:
    """The expression of a comparison of integers."""
    if how in _UNSIGNED:
        return f"({one} {_UNSIGNED[how]} {other})"
    sign = 1 << bits_of(type_) - 1
    first, second = (str(int(each) ^ sign) if each.isdigit() else f"({each} ^ {sign})" for each in (one, other))
    return f"({first} {_SIGNED[how]} {second})"


def float_test(how: str, one: str, other: str) -> str:
    """The expression of a comparison of floats."""
    if how in ("true", "false"):
        return str(int(how == "true"))
    ordered = f"({one} == {one} and {other} == {other})"
    if how == "ord":
        return ordered
    if how == "uno":
        return f"(not {ordered})"
    test = f"({one} {_FLOAT_TESTS[how[1:]]} {other})"
    if how.startswith("o"):
        return f"({ordered} and {test})" if how == "one" else test
    return test if how == "une" else f"(not {ordered} or {test})"


def changed_float(how: str, before: str, value: str) -> str:
    """The float after an atomic update of ``before``."""
    match how:
        case "xchg":
            return value
        case "fadd" | "fsub":
            return f"{before} {'+' if how == 'fadd' else '-'} {value}"
    raise Unsupported(f"the atomic update {how!r} of a float")


def changed(how: str, value: str, bits: int) -> str:
    """The value after an atomic update, of the value ``old`` before it."""
    mask, sign = (1 << bits) - 1, 1 << bits - 1
    match how:
        case "xchg":
            return value
        case "add" | "sub":
            return f"old {'+' if how == 'add' else '-'} {value} & {mask}"
        case "and" | "or" | "xor":
            return f"old {BITWISE[how]} {value}"
        case "nand":
            return f"~(old & {value}) & {mask}"
        case "umax" | "umin":
            return f"{how[1:]}(old, {value})"
        case "max" | "min":
            return f"{how}(old, {value}, key=lambda each: each ^ {sign})"
    raise Unsupported(f"the atomic update {how!r}")
