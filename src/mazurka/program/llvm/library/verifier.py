"""The functions of programs for verifiers: of SV-COMP, ESBMC, CBMC, SMACK, GenMC, Nidhugg and KLEE.

A thread whose assumption does not hold stays there, without a failure: no execution goes on from there. In an atomic
section it stays before the section, whose writes no other thread sees. Inputs
(``__VERIFIER_nondet_int`` and the like, KLEE's ``klee_make_symbolic``) are unknown; those that are pointers or floats
are zero, and not tracked: nothing is verified of a program that has any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.undeclared import (
    ASSERTIONS,
    ASSUMPTIONS,
    NAMED_ASSERTIONS,
    NONDET_PREFIXES,
    SECTION_BEGINS,
    SECTION_ENDS,
)
from mazurka.program.protocol import FailureKind
from mazurka.trace.event import Op
from mazurka.trace.targets import ASSUMPTION

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The bits of the types of inputs, and those that are signed.
_BITS: Final = {
    "bool": 1,
    **dict.fromkeys(("char", "uchar", "unsigned_char", "u8"), 8),
    **dict.fromkeys(("short", "ushort", "unsigned_short", "u16"), 16),
    **dict.fromkeys(("int", "uint", "unsigned", "unsigned_int", "u32"), 32),
    **dict.fromkeys(("long", "ulong", "unsigned_long", "longlong", "ulonglong", "size_t", "u64"), 64),
    **dict.fromkeys(("loff_t", "sector_t", "pthread_t"), 64),
}
_SIGNED: Final = frozenset({"char", "short", "int", "long", "longlong", "loff_t"})

_UNTRACKED: Final = ("pointer", "pchar", "float", "double")


def _assume(m: Machine, site: int, holds: int) -> None:
    if not holds:
        m.is_broken = True
        m.memory.section.take_back()
        m.run.block(Op.READ, ASSUMPTION, lambda: False, site=site, point=False)


def _error(_m: Machine, site: int, *_arguments: Any) -> None:
    raise ProgramFault("error", "calls reach_error()", site, FailureKind.ASSERTION)


def _assert(_m: Machine, site: int, holds: int) -> None:
    if not holds:
        raise ProgramFault("assertion", "__VERIFIER_assert fails", site, FailureKind.ASSERTION)


def _assert_named(m: Machine, site: int, holds: int, text: int = 0) -> None:
    """The assertions of ESBMC and CBMC, which have a text."""
    if not holds:
        words = m.memory.text(text, site).decode(errors="replace") if text else ""
        raise ProgramFault("assertion", f"assertion failed: {words}".rstrip(": "), site, FailureKind.ASSERTION)


def _input(kind: str) -> Callable[..., Any]:
    def function(m: Machine, site: int) -> Any:
        thread = m.run.current.name
        name = f"nondet_{kind}() of thread {thread}" if thread != "0" else f"nondet_{kind}()"
        return m.conditions.input(name, _BITS[kind], shown_signed=kind in _SIGNED)

    return function


def _untracked(name: str) -> Callable[..., Any]:
    def function(m: Machine, site: int) -> Any:
        text = f"the input {name}(), taken for zero, at {m.location(site)}"
        m.run.untracked[text] = m.run.untracked.get(text, 0) + 1
        return 0.0 if name.endswith(("float", "double")) else 0

    return function


def _begin(m: Machine, site: int) -> None:
    m.memory.section.begin()


def _end(m: Machine, site: int) -> None:
    m.memory.section.end()


def _make_symbolic(m: Machine, site: int, address: int, size: int, name: int) -> None:
    """KLEE: the bytes of an object are an input, one number if it has the size of one."""
    text = m.memory.text(name, site).decode(errors="replace") if name else "input"
    thread = m.run.current.name
    text = text if thread == "0" else f"{text} of thread {thread}"
    count = 1 if size in (1, 2, 4, 8) else size
    each = size // count
    for index in range(count):
        number = m.conditions.input(text if count == 1 else f"{text}[{index}]", each * 8)
        m.memory.store(address + index * each, each, number, site)


def _unknown_int(m: Machine, site: int, name: int) -> Any:
    """``klee_int``."""
    text, thread = m.memory.text(name, site).decode(errors="replace"), m.run.current.name
    return m.conditions.input(text if thread == "0" else f"{text} of thread {thread}", 32, shown_signed=True)


def _range(m: Machine, site: int, first: int, end: int, name: int) -> Any:
    """``klee_range``: an unknown ``int`` that is not below ``first``, and below ``end``."""
    number, sign = _unknown_int(m, site, name), 1 << 31
    _assume(m, site, (number ^ sign) >= (first ^ sign))
    _assume(m, site, (number ^ sign) < (end ^ sign))
    return number


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "reach_error": _error,
    "__VERIFIER_error": _error,
    **dict.fromkeys(ASSUMPTIONS, _assume),
    **dict.fromkeys(ASSERTIONS, _assert),
    **dict.fromkeys(NAMED_ASSERTIONS, _assert_named),
    "klee_int": _unknown_int,
    "klee_range": _range,
    "klee_make_symbolic": _make_symbolic,
    **dict.fromkeys(SECTION_BEGINS, _begin),
    **dict.fromkeys(SECTION_ENDS, _end),
    **{prefix + each: _input(each) for prefix in NONDET_PREFIXES for each in _BITS},
    **{prefix + each: _untracked(prefix + each) for prefix in NONDET_PREFIXES for each in _UNTRACKED},
}
