"""The arithmetic of known integers, as LLVM IR defines it (language reference); values are taken modulo their width."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mazurka.program.llvm.ir.module import ConstantValue, Instruction, Local, Operand
from mazurka.program.llvm.ir.types import Int

#: Functions of LLVM's that compute a number of two.
INTRINSICS: Final = frozenset(
    f"llvm.{name}.i{bits}" for name in ("smin", "smax", "umin", "umax") for bits in (8, 16, 32, 64)
)


def signed(value: int, bits: int) -> int:
    """The number that bits stand for in two's complement."""
    return value - (1 << bits) if value >> (bits - 1) else value


def _quotient(first: int, second: int) -> int:
    """Towards zero."""
    return abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)


_BINARY: Final[Mapping[str, Callable[[int, int, int], int]]] = {
    "add": lambda a, b, _: a + b,
    "sub": lambda a, b, _: a - b,
    "mul": lambda a, b, _: a * b,
    "and": lambda a, b, _: a & b,
    "or": lambda a, b, _: a | b,
    "xor": lambda a, b, _: a ^ b,
    "shl": lambda a, b, bits: a << b if b < bits else 0,
    "lshr": lambda a, b, bits: a >> b if b < bits else 0,
    "ashr": lambda a, b, bits: signed(a, bits) >> min(b, bits),
    "udiv": lambda a, b, _: a // b,
    "urem": lambda a, b, _: a % b,
    "sdiv": lambda a, b, bits: _quotient(signed(a, bits), signed(b, bits)),
    "srem": lambda a, b, bits: signed(a, bits) - _quotient(signed(a, bits), signed(b, bits)) * signed(b, bits),
}

_COMPARED: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}

#: The instructions that are computed again.
COMPUTED: Final = frozenset({*_BINARY, "icmp", "select", "zext", "sext", "trunc", "freeze", "phi"})


def known(operand: Operand, values: Mapping[str, int]) -> int:
    """The value of a known operand."""
    if isinstance(operand.value, Local):
        return values[operand.value.name]
    assert isinstance(operand.value, ConstantValue)
    return int(operand.value.value or 0)


def computed(each: Instruction, values: Mapping[str, int]) -> int:
    """The result of a known instruction that is no ``phi``, load or call of the program's."""
    assert isinstance(each.type, Int)
    opcode, operands = each.opcode, each.operands
    if opcode == "call":
        return _extreme(each, known(operands[1], values), known(operands[2], values))
    first = known(operands[0], values)
    kind = operands[0].type
    assert isinstance(kind, Int)
    match opcode:
        case "select":
            return known(operands[1 if first else 2], values)
        case "icmp":
            second = known(operands[1], values)
            if each.how.startswith("s"):
                first, second = signed(first, kind.bits), signed(second, kind.bits)
            return int(_COMPARED[each.how[-2:]](first, second))
        case "sext":
            first = signed(first, kind.bits)
        case "zext" | "trunc" | "freeze":
            pass
        case _:
            first = _BINARY[opcode](first, known(operands[1], values), kind.bits)
    return first & ((1 << each.type.bits) - 1)


def _extreme(each: Instruction, first: int, second: int) -> int:
    """``llvm.smin`` and its like."""
    assert isinstance(each.type, Int)
    name = str(getattr(each.operands[0].value, "name", ""))
    bits = each.type.bits
    pick = min if "min" in name else max
    if ".s" in name:
        return pick(first, second, key=lambda value: signed(value, bits))
    return pick(first, second)
