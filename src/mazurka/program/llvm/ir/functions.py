"""Facts about functions: their instructions, those that may be visible to others, and variables that need no memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from mazurka.program.llvm.ir.module import Block, Instruction, IrFunction, Local, Symbol
from mazurka.program.llvm.ir.types import Float, Int, Pointer, Type, Void

#: Instructions that copy values, or pick or set bits of them.
_MOVING: Final = frozenset(
    "store call ret and or xor shl lshr ashr trunc zext sext freeze phi select insertvalue extractvalue".split()
)

#: The beginnings of names of functions that do nothing.
IGNORED_CALLS: Final = ("llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias", "llvm.donothing")


def successors(block: Block) -> tuple[str, ...]:
    """The blocks that may follow a block, each once."""
    last = block.instructions[-1]
    return tuple(dict.fromkeys(last.labels)) if last.opcode != "phi" else ()


def instructions_of(function: IrFunction) -> Iterator[Instruction]:
    """The instructions of a function, in order."""
    for block in function.blocks:
        yield from block.instructions


def moved_in(function: IrFunction) -> set[str]:
    """The results that are only copied, or of which bits are only picked or set: parts of structures that are passed
    on, and bit-fields. Such a value need not be initialised."""
    used: set[str] = set()
    for each in instructions_of(function):
        operands = each.operands
        if each.opcode in _MOVING:  # but where it decides which memory, or function, it is
            operands = operands[1:] if each.opcode == "store" else operands[:1] if each.opcode == "call" else ()
        used.update(operand.value.name for operand in operands if isinstance(operand.value, Local))
    return {each.result for each in instructions_of(function) if each.opcode == "load"} - used


def used_in(function: IrFunction) -> set[str]:
    """The results that are operands of some instruction."""
    return {
        operand.value.name
        for each in instructions_of(function)
        for operand in each.operands
        if isinstance(operand.value, Local)
    }


def returned_in(function: IrFunction, promoted: Collection[str]) -> dict[str, str]:
    """The results that are read from the place of the function's value, which is a variable without a name in the
    source, and only returned; with these variables. The place has no value where the closing brace of a C function is
    reached, which is valid as long as the caller does not use the value (C11 6.9.1p12)."""
    used = [
        operand.value.name
        for each in instructions_of(function)
        for operand in each.operands
        if each.opcode != "ret" and isinstance(operand.value, Local)
    ]
    found = {}
    for each in instructions_of(function):
        if each.opcode == "load" and each.result not in used and isinstance(each.operands[0].value, Local):
            place = each.operands[0].value.name
            if place in promoted and place not in function.variables:
                found[each.result] = place
    return found


def may_lack_value(function: IrFunction) -> bool:
    """Whether a function may return without a value."""
    if isinstance(function.result, Void):
        return True
    promoted = promoted_in(function)
    returned = returned_in(function, promoted)
    if not returned:
        return False
    at_starts = assigned_at_starts(function, promoted)
    for block in function.blocks:
        assigned = set(at_starts[block.name])
        for each in block.instructions:
            if each.opcode == "load" and (place := returned.get(each.result)) is not None and place not in assigned:
                return True
            assigned.update(stored_by(each, promoted))
    return False


def assigned_at_starts(function: IrFunction, promoted: Collection[str]) -> dict[str, set[str]]:
    """The promoted variables that surely have values, by block."""
    gained = {
        block.name: {name for each in block.instructions for name in stored_by(each, promoted)}
        for block in function.blocks
    }
    entry = function.blocks[0].name
    found: dict[str, set[str]] = {block.name: set(promoted) for block in function.blocks}
    found[entry] = set()
    is_stable = False
    while not is_stable:
        is_stable = True
        for block in function.blocks:
            after = found[block.name] | gained[block.name]
            for label in successors(block):
                if not found[label] <= after:
                    found[label] &= after
                    is_stable = False
    return found


def stored_by(each: Instruction, promoted: Collection[str]) -> tuple[str, ...]:
    """The promoted variable that an instruction stores to, if any."""
    if each.opcode == "store" and isinstance(place := each.operands[1].value, Local) and place.name in promoted:
        return (place.name,)
    return ()


def least_frame(function: IrFunction) -> int:
    """The bytes that a call of a function takes on the stack at least: its variables of constant size, the address to
    return to and a saved register. They are aligned to 16 bytes on x86-64."""
    size = sum(
        each.source.size
        for each in function.blocks[0].instructions
        if each.opcode == "alloca" and not each.operands and each.source is not None
    )
    return 16 + -(-size // 16) * 16


def is_step(each: Instruction, promoted: Collection[str], is_external: Callable[[str], bool]) -> bool:
    """Whether an instruction may be visible to other threads: it accesses memory, or calls the library."""
    if each.opcode in ("load", "store"):
        place = each.operands[-1].value
        return not (isinstance(place, Local) and place.name in promoted)
    if each.opcode == "call":
        called = each.operands[0].value
        return isinstance(called, Symbol) and not called.name.startswith(IGNORED_CALLS) and is_external(called.name)
    return each.opcode in ("atomicrmw", "cmpxchg", "fence")


def promoted_in(function: IrFunction) -> dict[str, Type]:
    """The variables in memory whose address is only loaded from and stored to, whole."""
    found: dict[str, Type] = {}
    for each in function.blocks[0].instructions:
        if each.opcode == "alloca" and not each.operands and isinstance(each.source, Int | Pointer | Float):
            found[each.result] = each.source
    for each in instructions_of(function):
        for number, operand in enumerate(each.operands):
            if not isinstance(operand.value, Local) or operand.value.name not in found:
                continue
            kind = found[operand.value.name]
            whole = (each.opcode == "load" and each.type == kind) or (
                each.opcode == "store" and number == 1 and each.operands[0].type == kind
            )
            ignored = (
                each.opcode == "call"
                and isinstance(each.operands[0].value, Symbol)
                and (each.operands[0].value.name.startswith("llvm.lifetime."))
            )
            if (not whole or each.how) and not ignored:
                del found[operand.value.name]
    return found
