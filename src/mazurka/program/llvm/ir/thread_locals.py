"""Thread-local variables that code names where it means the running thread's copy: clang does so for the guard of
their initialisation, and for the argument of a destructor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.program.llvm.ir.module import Instruction, IrFunction, Local, Module, Operand, Symbol
from mazurka.program.llvm.ir.types import Pointer

_ADDRESS: Final = "llvm.threadlocal.address"
_CALLED: Final = Operand(Pointer(), Symbol(_ADDRESS))


def ask_for_copies(function: IrFunction, module: Module) -> None:
    """Let each instruction that names a thread-local variable ask for the thread's copy before."""
    variables = {name for name, each in module.globals.items() if each.thread_local}
    if variables:
        for block in function.blocks:
            block.instructions[:] = _with_copies(block.instructions, variables)


def _with_copies(instructions: list[Instruction], variables: set[str]) -> Iterator[Instruction]:
    for each in instructions:
        for place, operand in enumerate(each.operands):
            value = operand.value
            if isinstance(value, Symbol) and value.name in variables and not _asks(each):
                name = f"{value.name}.copy.{each.line}.{place}"
                yield Instruction(
                    "call", name, operand.type, (_CALLED, operand), location=each.location, line=each.line
                )
                copied = Operand(operand.type, Local(name))
                each.operands = (*each.operands[:place], copied, *each.operands[place + 1 :])
        yield each


def _asks(each: Instruction) -> bool:
    called = each.operands[0].value if each.opcode == "call" else None
    return isinstance(called, Symbol) and called.name.startswith(_ADDRESS)
