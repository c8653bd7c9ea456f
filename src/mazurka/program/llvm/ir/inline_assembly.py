"""Inline assembly that has no effect but to order memory: barriers of the compiler, fences, and hints of the processor.

Source: the LLVM language reference, inline assembler expressions; Intel's manual, volume 3, 9.2 (memory ordering). A
text without instructions orders the compiler alone, and gives each input that is tied to an output back. All other
assembly is not supported.
"""

from __future__ import annotations

import re
from typing import Final

from mazurka.program.llvm.ir.module import Instruction, Operand, Symbol
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import POINTER, VOID, Type

_NOTHING: Final = frozenset({"", "nop", "pause", "rep nop"})
_FENCES: Final = {"mfence": "seq_cst", "sfence": "release", "lfence": "acquire"}

#: An update that leaves the top of the stack as it is: a fence, on older processors the fastest.
_LOCKED: Final = re.compile(r"lock (?:add|or)[lq]? \$\$(?:0x)?0, ?-?\d*\(%[er]sp\)")

#: The call that stands for no instruction.
_NONE: Final = "llvm.donothing"


def assembled(result: str, type_: Type, template: str, constraints: str, inputs: tuple[Operand, ...]) -> Instruction:
    """The instruction for inline assembly; raises :class:`~mazurka.program.llvm.ir.tokens.Unsupported`."""
    text = " ".join(template.replace("\\09", " ").replace("\\0A", " ").replace(";", " ").lower().split())
    ordering = "seq_cst" if _LOCKED.fullmatch(text) else _FENCES.get(text, "")
    if type_ == VOID and ordering:
        return Instruction("fence", "", VOID, orderings=(ordering,))
    if type_ == VOID and text in _NOTHING:
        return Instruction("call", "", VOID, (Operand(POINTER, Symbol(_NONE)),))
    tied = [place for place, each in enumerate(_inputs(constraints)) if each == "0"]
    if not text and len(tied) == 1 and inputs[tied[0]].type == type_:
        return Instruction("freeze", result, type_, (inputs[tied[0]],))
    raise Unsupported(f"the inline assembly {template!r}")


def _inputs(constraints: str) -> list[str]:
    return [each for each in constraints.split(",") if each and each[0] not in "=~!"]
