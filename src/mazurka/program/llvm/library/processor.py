"""What inline assembly calls: instructions of x86-64 that read and write strings, and those that ask the processor.

Source: Intel's manual, volume 2 (CPUID, MOVS, RDTSC, STOS). The processor is a plain x86-64, which programs are
compiled for, without optional features; nothing is verified of a program that asks for them. Its time-stamp counter
counts nanoseconds of the virtual time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.unknown_bytes import byte_of
from mazurka.program.memory import MemoryModel

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The results in eax, ebx, ecx and edx: the highest leaf and the maker's name; the model and the features of x86-64.
_LEAVES: Final = {
    0: (1, *(int.from_bytes(part, "little") for part in (b"Genu", b"ntel", b"ineI"))),
    1: (0x600, 0, 0, 0x07808171),
    0x8000_0000: (0x8000_0001, 0, 0, 0),
    0x8000_0001: (0, 0, 0, 0x20000000),
}

#: Named as untracked: other processors give other answers.
_UNKNOWN: Final = "what cpuid says of the processor"

_LATE: Final = "rdtsc, before which stores arrive here, under TSO or PSO"


def _cpuid(m: Machine, _site: int, leaf: int, place: int) -> int:
    m.run.untracked[_UNKNOWN] = m.run.untracked.get(_UNKNOWN, 0) + 1
    return _LEAVES.get(int(leaf), (0, 0, 0, 0))[place]


def _time_stamp(m: Machine, _site: int) -> int:
    if m.memory.model is not MemoryModel.SC:  # a look at the clock lets stores arrive, which the instruction does not
        m.run.untracked[_LATE] = m.run.untracked.get(_LATE, 0) + 1
    return int(m.run.now() * 1e9)


def _store_string(m: Machine, site: int, to: int, value: Any, count: int, size: int) -> None:
    count = int(count)
    content = byte_of(value, count) if size == 1 else int(value).to_bytes(8, "little")[:size] * count
    m.memory.write(to, content, site)


def _move_string(m: Machine, site: int, to: int, source: int, count: int, size: int) -> None:
    """Element by element where one that is read has been written before."""
    to, source, count = int(to), int(source), int(count)
    step = size if 0 < to - source < count * size else count * size
    for at in range(0, count * size, step or 1):
        m.memory.copy(to + at, source + at, step, site)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "llvm.readcyclecounter": _time_stamp,
    "llvm.x86.cpuid": _cpuid,
    "llvm.x86.movs": _move_string,
    "llvm.x86.rdtsc": _time_stamp,
    "llvm.x86.sse2.pause": lambda m, site: None,
    "llvm.x86.stos": _store_string,
}
