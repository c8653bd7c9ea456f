"""Inline assembly of x86-64, as the instructions of LLVM IR that do the same.

Source: the LLVM language reference, inline assembler expressions; GCC's manual, 6.47.2 (extended asm). A text consists
of instructions of :mod:`mazurka.program.llvm.ir.assembly_instructions` in the syntax of AT&T, on the operands of
:mod:`mazurka.program.llvm.ir.assembly_state`. All other assembly is not supported.
"""

from __future__ import annotations

import re
from typing import Final

from mazurka.program.llvm.ir.assembly_instructions import FIXED, LOCKABLE, SIZED
from mazurka.program.llvm.ir.assembly_state import Argument, AssemblyState, Memory
from mazurka.program.llvm.ir.module import Instruction, Operand
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import Type

_BITS: Final = {"b": 8, "w": 16, "l": 32, "q": 64}
_ESCAPE: Final = re.compile(r"\\([0-9A-Fa-f]{2})")
_COMMENT: Final = re.compile(r"#[^\n]*|/\*.*?\*/")
_PREFIXES: Final = {"lock": "lock", "rep": "rep", "repe": "rep", "repz": "rep"}

#: Between operands: a comma that is not within the parentheses of an address.
_COMMA: Final = re.compile(r",(?![^(]*\))")


def assembled(
    result: str, type_: Type, template: str, constraints: str, given: tuple[Operand, ...], prefix: str
) -> list[Instruction]:
    """The instructions for inline assembly, of which the last one defines ``result``; the names of others' results
    begin with ``prefix``. Raises :class:`~mazurka.program.llvm.ir.tokens.Unsupported`."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), template)
    try:
        state = AssemblyState(type_, constraints, given, prefix)
        for statement in _statements(text):
            _do(state, statement)
            state.end_instruction()
        state.finish(result)
    except Unsupported as error:
        words = str(error) + " " if str(error) else ""
        raise Unsupported(f"{words}the inline assembly {text!r}") from None
    return state.instructions


def _statements(text: str) -> list[str]:
    """The instructions of a text, each with its prefix and in lower case."""
    found: list[str] = []
    prefix = ""
    for line in re.split(r"[;\n]", _COMMENT.sub(" ", text)):
        words = line.lower().split()
        while words and words[0] in _PREFIXES:
            prefix = f"{prefix}{_PREFIXES[words.pop(0)]} "
        if words:
            found.append(prefix + " ".join(words))
            prefix = ""
    return [*found, prefix] if prefix else found


def _do(state: AssemblyState, statement: str) -> None:
    """Do one instruction."""
    locked = statement.startswith("lock ")
    name, _, rest = statement.removeprefix("lock ").partition(" ")
    if name == "rep":
        name, _, rest = f"rep {rest}".partition(" ") if not rest else _repeated(rest)
    arguments = [state.argument(each.strip()) for each in _COMMA.split(rest)] if rest else []
    if name in FIXED:
        done, count, bits = FIXED[name]
        base = name
        if name.startswith("set"):
            _hold_bits(state, arguments, bits)
    else:
        base, bits = _sized(state, name, arguments)
        done, count = SIZED[base]
    if len(arguments) != count or (locked and not (base in LOCKABLE and _has_memory(arguments))):
        raise Unsupported("")
    done(state, bits, locked, *arguments)


def _repeated(rest: str) -> tuple[str, str, str]:
    name, _, after = rest.partition(" ")
    return f"rep {name}", "", after


def _has_memory(arguments: list[Argument]) -> bool:
    return any(isinstance(each, Memory) for each in arguments)


def _sized(state: AssemblyState, name: str, arguments: list[Argument]) -> tuple[str, int]:
    """The name of an instruction without the letter of its size, and its bits: those of its name, or its registers."""
    if name in SIZED:
        base, bits = name, max(map(state.bits_of, arguments), default=0)
    else:
        base, bits = name[:-1], _BITS.get(name[-1:], 0)
    if base not in SIZED or not bits:
        raise Unsupported("")
    _hold_bits(state, arguments, bits)
    if sum(isinstance(each, Memory) for each in arguments) > 1:
        raise Unsupported("two operands in memory in")
    return base, bits


def _hold_bits(state: AssemblyState, arguments: list[Argument], bits: int) -> None:
    if any(state.bits_of(each) not in (0, bits) for each in arguments):
        raise Unsupported("operands of different sizes in")
