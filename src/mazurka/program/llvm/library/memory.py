"""``stdlib.h``'s allocation, ``string.h``, ``ctype.h``, and LLVM's functions for memory.

Source: C17, 7.22 and 7.24. Allocation never fails. Each function that reads or writes bytes is one step for the reads
and one for the writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.memory import SHIFT

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def allocate(m: Machine, size: int, content: bytes | None = None) -> int:
    """Make an object on the heap; returns its address."""
    m.run.current.silent += 1
    made = m.memory.allocate(size, "heap", "heap", content)
    return made.address


def _calloc(m: Machine, _site: int, count: int, size: int) -> int:
    return allocate(m, count * size, bytes(count * size))


def _aligned(m: Machine, _site: int, _alignment: int, size: int) -> int:
    return allocate(m, size)


def _posix_memalign(m: Machine, site: int, place: int, _alignment: int, size: int) -> int:
    m.memory.store(place, 8, allocate(m, size), site)
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
    if not address:
        return allocate(m, size)
    thing, _ = m.memory.find(address, 0, site, "resizes")
    made = allocate(m, size)
    m.memory.copy(made, address, min(size, thing.size), site)
    free(m, site, address)
    return made


def _copy(m: Machine, site: int, to: int, source: int, size: int, *_volatile: int) -> int:
    m.memory.copy(to, source, size, site)
    return to


def _set(m: Machine, site: int, to: int, value: int, size: int, *_volatile: int) -> int:
    m.memory.write(to, bytes([value & 255]) * size, site)
    return to


def _compare(one: bytes, other: bytes) -> int:
    return (one > other) - (one < other)


def _memcmp(m: Machine, site: int, one: int, other: int, size: int) -> int:
    return _compare(m.memory.read(one, size, site), m.memory.read(other, size, site))


def _memchr(m: Machine, site: int, address: int, value: int, size: int) -> int:
    at = m.memory.read(address, size, site).find(value & 255)
    return address + at if at >= 0 else 0


def _strlen(m: Machine, site: int, address: int) -> int:
    return len(m.memory.text(address, site))


def _strnlen(m: Machine, site: int, address: int, most: int) -> int:
    return len(m.memory.text(address, site, most + 1)) if most else 0


def _strcpy(m: Machine, site: int, to: int, source: int) -> int:
    m.memory.write(to, m.memory.text(source, site) + b"\0", site)
    return to


def _strncpy(m: Machine, site: int, to: int, source: int, size: int) -> int:
    m.memory.write(to, m.memory.text(source, site, size + 1)[:size].ljust(size, b"\0"), site)
    return to


def _strcat(m: Machine, site: int, to: int, source: int) -> int:
    m.memory.write(to + len(m.memory.text(to, site)), m.memory.text(source, site) + b"\0", site)
    return to


def _strncat(m: Machine, site: int, to: int, source: int, size: int) -> int:
    text = m.memory.text(source, site, size + 1)[:size]
    m.memory.write(to + len(m.memory.text(to, site)), text + b"\0", site)
    return to


def _strcmp(m: Machine, site: int, one: int, other: int) -> int:
    return _compare(m.memory.text(one, site), m.memory.text(other, site))


def _strncmp(m: Machine, site: int, one: int, other: int, size: int) -> int:
    return _compare(m.memory.text(one, site, size + 1)[:size], m.memory.text(other, site, size + 1)[:size])


def _strcasecmp(m: Machine, site: int, one: int, other: int) -> int:
    return _compare(m.memory.text(one, site).lower(), m.memory.text(other, site).lower())


def _strncasecmp(m: Machine, site: int, one: int, other: int, size: int) -> int:
    first, second = (m.memory.text(each, site, size + 1)[:size].lower() for each in (one, other))
    return _compare(first, second)


def _strchr(m: Machine, site: int, address: int, value: int, *, last: bool = False) -> int:
    text = m.memory.text(address, site) + b"\0"
    wanted = bytes([value & 255])
    at = text.rfind(wanted) if last else text.find(wanted)
    return address + at if at >= 0 else 0


def _strstr(m: Machine, site: int, address: int, wanted: int) -> int:
    at = m.memory.text(address, site).find(m.memory.text(wanted, site))
    return address + at if at >= 0 else 0


def _strdup(m: Machine, site: int, address: int) -> int:
    text = m.memory.text(address, site) + b"\0"
    return allocate(m, len(text), text)


def _spans(m: Machine, site: int, address: int, among: int, *, inside: bool) -> int:
    text, set_ = m.memory.text(address, site), m.memory.text(among, site)
    return next((at for at, each in enumerate(text) if (each in set_) is not inside), len(text))


def _ctype(test: Callable[[str], bool]) -> Callable[..., int]:
    def function(_m: Machine, _site: int, value: int) -> int:
        return int(0 <= value < 128 and test(chr(value)))

    return function


def _case(change: Callable[[str], str]) -> Callable[..., int]:
    def function(_m: Machine, _site: int, value: int) -> int:
        return ord(change(chr(value))) if value < 128 else value

    return function


def _ctype_table(m: Machine, _site: int) -> int:
    """``__ctype_b_loc``: the address of a pointer to glibc's table of bits for -128 to 255."""
    if "ctype" not in m.state:
        table = b"".join(_class(value).to_bytes(2, "little") for value in range(-128, 256))
        made = m.memory.allocate(len(table), "constant", "ctype table", table)
        place = m.memory.allocate(8, "constant", "ctype", (made.address + 256).to_bytes(8, "little"))
        m.state["ctype"] = place.address
    address: int = m.state["ctype"]
    return address


def _class(value: int) -> int:
    if not 0 <= value < 128:
        return 0
    each = chr(value)
    bits = (
        *(each.isupper(), each.islower(), each.isalpha(), each.isdigit(), each in "0123456789abcdefABCDEF"),
        *(each in " \t\n\v\f\r", 32 <= value < 127, 33 <= value < 127),
        *(each in " \t", value < 32 or value == 127, 33 <= value < 127 and not each.isalnum(), each.isalnum()),
    )
    return sum(bit << (8 + at if at < 8 else at - 8) for at, bit in enumerate(bits))


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "malloc": lambda m, site, size: allocate(m, size),
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
    "__memcpy_chk": _copy,
    "__memset_chk": _set,
    "llvm.memcpy": _copy,
    "llvm.memmove": _copy,
    "llvm.memset": _set,
    "memcmp": _memcmp,
    "bcmp": _memcmp,
    "memchr": _memchr,
    "strlen": _strlen,
    "strnlen": _strnlen,
    "strcpy": _strcpy,
    "strncpy": _strncpy,
    "strcat": _strcat,
    "strncat": _strncat,
    "strcmp": _strcmp,
    "strncmp": _strncmp,
    "strcasecmp": _strcasecmp,
    "strncasecmp": _strncasecmp,
    "strchr": _strchr,
    "strrchr": lambda m, site, address, value: _strchr(m, site, address, value, last=True),
    "strstr": _strstr,
    "strdup": _strdup,
    "strspn": lambda m, site, address, among: _spans(m, site, address, among, inside=True),
    "strcspn": lambda m, site, address, among: _spans(m, site, address, among, inside=False),
    "isalpha": _ctype(str.isalpha),
    "isdigit": _ctype(str.isdigit),
    "isalnum": _ctype(str.isalnum),
    "isspace": _ctype(lambda each: each in " \t\n\v\f\r"),
    "isupper": _ctype(str.isupper),
    "islower": _ctype(str.islower),
    "isprint": _ctype(lambda each: 32 <= ord(each) < 127),
    "isxdigit": _ctype(lambda each: each in "0123456789abcdefABCDEF"),
    "ispunct": _ctype(lambda each: 33 <= ord(each) < 127 and not each.isalnum()),
    "toupper": _case(str.upper),
    "tolower": _case(str.lower),
    "__ctype_b_loc": _ctype_table,
    "llvm.stacksave": lambda m, site: 0,
    "llvm.stackrestore": lambda m, site, address: None,
    "llvm.prefetch": lambda m, site, *arguments: None,
}
