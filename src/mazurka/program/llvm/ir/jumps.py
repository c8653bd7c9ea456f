"""``setjmp``: a function that calls it goes on after the call each time that ``longjmp`` jumps there."""

from __future__ import annotations

from typing import Final

from mazurka.program.llvm.ir.module import Block, Instruction, IrFunction, Symbol
from mazurka.program.llvm.ir.types import VOID

#: The names by which programs call it.
SETJMP: Final = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"})


def is_setjmp(each: Instruction) -> bool:
    """Whether an instruction calls ``setjmp``."""
    called = each.operands[0].value if each.opcode == "call" else None
    return isinstance(called, Symbol) and called.name in SETJMP


def split_after_setjmp(function: IrFunction) -> None:
    """Let each call of ``setjmp`` be the last instruction of its block but for a branch to the rest of the block."""
    for block in list(function.blocks):
        while (at := next((at for at, each in enumerate(block.instructions) if is_setjmp(each)), None)) is not None:
            call, rest = block.instructions[at], Block(f"{block.name}.after{at}", block.instructions[at + 1 :])
            branch = Instruction("br", "", VOID, labels=(rest.name,), location=call.location, line=call.line)
            block.instructions[at + 1 :] = [branch]
            function.blocks.insert(function.blocks.index(block) + 1, rest)
            _rename(function, block.name, rest)
            block = rest


def _rename(function: IrFunction, name: str, rest: Block) -> None:
    """The blocks after the rest of a block come from there now."""
    after = set(rest.instructions[-1].labels)
    for block in function.blocks:
        for each in block.instructions if block.name in after else ():
            if each.opcode == "phi":
                each.labels = tuple([rest.name if label == name else label for label in each.labels])
