"""``stdlib.h``'s allocation, the copying of memory, and LLVM's functions for it.

Source: C17, 7.22.3 and 7.24; glibc. Allocation fails for sizes that no object has, and never else. A function that
reads and writes bytes is one step for the reads and one for the writes, or several of each (wide_accesses.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.memory_objects import LARGEST, SHIFT
from mazurka.program.llvm.unknown_bytes import SymbolicBytes, byte_of

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def allocate(m: Machine, site: int, size: int, content: bytes | SymbolicBytes | None = None) -> int:
    """Make an object on the heap; returns its address."""
    m.run.current.silent += 1
    place = m.location(site)
    made = m.memory.allocate(size, "heap", "heap", content, "" if place is None else place.function)
    m.allocated.append((made, site))
    return made.address


def _is_too_large(m: Machine, size: int) -> bool:
    """Whether no object has this size, so that there is no memory for it."""
    if size > _MOST:
        set_errno(m, _ENOMEM)
    return size > _MOST


def _malloc(m: Machine, site: int, size: int) -> int:
    return 0 if _is_too_large(m, size) else allocate(m, site, size)


def _calloc(m: Machine, site: int, count: int, size: int) -> int:
    size *= count
    return 0 if _is_too_large(m, size) else allocate(m, site, size, bytes(size) if size <= LARGEST else None)


def _aligned(m: Machine, site: int, _alignment: int, size: int) -> int:
    return _malloc(m, site, size)


def _posix_memalign(m: Machine, site: int, place: int, alignment: int, size: int) -> int:
    if alignment < _POINTER or alignment.bit_count() != 1:
        return _EINVAL
    if size > _MOST - alignment:
        return _ENOMEM
    m.memory.store(place, 8, allocate(m, site, size), site)
    return 0


def free(m: Machine, site: int, address: int) -> None:
    """``free``."""
    if not address:
        return
    thing = m.memory.objects.get(address >> SHIFT)
    if thing is None or thing.address != address or thing.kind != "heap":
        raise ProgramFault("invalid free", f"frees {m.place(address)}, which malloc has not returned", site)
    if not thing.live:
        raise ProgramFault("double free", f"frees {thing.name}, which has been freed", site)
    m.memory.end(thing, site)


def _realloc(m: Machine, site: int, address: int, size: int) -> int:
    if _is_too_large(m, size):
        return 0
    if not address:
        return allocate(m, site, size)
    thing, _ = m.memory.find(address, 0, site, "resizes")
    if not size:
        free(m, site, address)
        return 0
    made = allocate(m, site, size)
    m.memory.copy(made, address, min(size, thing.size), site)
    free(m, site, address)
    return made


def _copy(m: Machine, site: int, to: int, source: int, size: int, *_volatile: int) -> int:
    m.memory.copy(to, source, size, site)
    return to


def _set(m: Machine, site: int, to: int, value: Any, size: int, *_volatile: int) -> int:
    m.memory.write(to, byte_of(value, size), site)
    return to


_EINVAL, _ENOMEM = 22, 12

#: The size of the largest object, PTRDIFF_MAX, and that of a pointer.
_MOST: Final = (1 << 63) - 1
_POINTER: Final = 8

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "malloc": _malloc,
    "calloc": _calloc,
    "realloc": _realloc,
    "reallocarray": lambda m, site, address, count, size: _realloc(m, site, address, count * size),
    "aligned_alloc": _aligned,
    "memalign": _aligned,
    "posix_memalign": _posix_memalign,
    "free": free,
    "memcpy": _copy,
    "memmove": _copy,
    "memset": _set,
    "mempcpy": lambda m, site, to, source, size: _copy(m, site, to, source, size) + size,
    "bcopy": lambda m, site, source, to, size: _copy(m, site, to, source, size),
    "bzero": lambda m, site, to, size: _set(m, site, to, 0, size),
    "explicit_bzero": lambda m, site, to, size: _set(m, site, to, 0, size),
    "__memcpy_chk": _copy,
    "__memset_chk": _set,
    "llvm.memcpy": _copy,
    "llvm.memmove": _copy,
    "llvm.memset": _set,
    "llvm.stacksave": lambda m, site: 0,
    "llvm.stackrestore": lambda m, site, address: None,
    "llvm.prefetch": lambda m, site, *arguments: None,
}
