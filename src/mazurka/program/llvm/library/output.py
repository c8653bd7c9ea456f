"""``stdio.h``: output, which is kept for the report. Input is at its end.

Source: C17, 7.21. Writing to a stream is no step: threads' outputs come in the order of their calls, and no function
reads them again.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.files import put
from mazurka.symbolic.values import plain

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_FORMAT: Final = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|z|j|t|L)?([diouxXcspfFeEgGaAn%])")
_DOT: Final = re.compile(rb"%[-+ #0]*(?:\*|\d+)?(\.)")
_SIZES: Final = {b"hh": 8, b"h": 16, b"l": 64, b"ll": 64, b"z": 64, b"j": 64, b"t": 64}
_EOF: Final = -1


def formatted(m: Machine, site: int, pattern: bytes, arguments: list[Any]) -> bytes:
    """The text that ``printf`` makes; missing arguments are taken for zero."""
    given = iter(arguments)

    def one(match: re.Match[bytes]) -> bytes:
        flags, width, precision, size, kind = match.groups()
        if kind == b"%":
            return b"%"
        if width == b"*":
            width = str(_signed(next(given, 0), 32)).encode()
        dotted = _DOT.match(match[0]) is not None
        if precision == b"*":
            precision = str(_signed(next(given, 0), 32)).encode()
        value = next(given, 0)
        after = b"." + (precision or b"0") if dotted else b""
        text = _converted(m, site, (flags or b"", after.decode()), size or b"", kind.decode(), value)
        return _padded(text, flags or b"", int(width or b"0"), is_number=kind in b"diouxXfFeEgG" and not dotted)

    return _FORMAT.sub(one, pattern)


def _converted(m: Machine, site: int, how: tuple[bytes, str], size: bytes, kind: str, value: Any) -> bytes:
    flags, precision = how
    bits = _SIZES.get(size, 32)
    sign = "+" if b"+" in flags else " " if b" " in flags else ""
    if kind in "di":
        number = _signed(int(value), bits)
        digits = str(abs(number)).rjust(int(precision[1:] or 0) if precision else 0, "0")
        return f"{'-' if number < 0 else sign}{digits}".encode()
    if kind in "uoxX":
        number = int(value) & ((1 << bits) - 1)
        digits = format(number, {"u": "d"}.get(kind, kind)).rjust(int(precision[1:] or 0) if precision else 0, "0")
        prefix = {"x": "0x", "X": "0X", "o": "0"}.get(kind, "") if b"#" in flags and number else ""
        return f"{prefix}{digits}".encode()
    if kind == "c":
        return bytes([int(value) & 255])
    if kind == "s":
        most = int(precision[1:]) if precision else 1 << 20
        return m.memory.text(value, site, most + 1)[:most] if value else b"(null)"
    if kind == "p":
        return f"{int(value):#x}".encode() if value else b"(nil)"
    if kind in "fFeEgGaA":
        if isinstance(value, int):
            value = struct.unpack("<d", (value & (1 << 64) - 1).to_bytes(8, "little"))[0]
        if kind in "aA":
            return float(value).hex().encode()
        return format(value, f"{sign}{'#' if b'#' in flags else ''}{precision or '.6'}{kind}").encode()
    m.run.stop("the run was cut: printf with %n is not supported")
    return b""


def _padded(text: bytes, flags: bytes, width: int, *, is_number: bool) -> bytes:
    if b"-" in flags or width < 0:
        return text.ljust(abs(width))
    if b"0" in flags and is_number:
        sign = text[:1] if text[:1] in (b"-", b"+", b" ") else b""
        return sign + text[len(sign) :].rjust(width - len(sign), b"0")
    return text.rjust(width)


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _write(m: Machine, text: bytes) -> int:
    m.run.current.silent += 1
    m.output.append(text)
    return len(text)


def _to(m: Machine, site: int, stream: int, text: bytes) -> int:
    """Write to a stream: a file that the program has opened, or the output."""
    opened = m.state["files"].open.get(stream) if stream and "files" in m.state else None
    return put(m, site, opened, text) if opened is not None else _write(m, text)


def _printf(m: Machine, site: int, pattern: int, *arguments: Any) -> int:
    values = [plain(each) for each in arguments]  # nothing that the program does depends on its output
    return _write(m, formatted(m, site, m.memory.text(pattern, site), values))


def _fprintf(m: Machine, site: int, stream: int, pattern: int, *arguments: Any) -> int:
    return _to(m, site, stream, formatted(m, site, m.memory.text(pattern, site), list(arguments)))


def _snprintf(m: Machine, site: int, to: int, most: int, pattern: int, *arguments: Any) -> int:
    text = formatted(m, site, m.memory.text(pattern, site), list(arguments))
    if most:
        m.memory.write(to, text[: most - 1] + b"\0", site)
    return len(text)


def _sprintf(m: Machine, site: int, to: int, pattern: int, *arguments: Any) -> int:
    text = formatted(m, site, m.memory.text(pattern, site), list(arguments))
    m.memory.write(to, text + b"\0", site)
    return len(text)


def _puts(m: Machine, site: int, address: int) -> int:
    return _write(m, m.memory.text(address, site) + b"\n")


def _fputs(m: Machine, site: int, address: int, stream: int) -> int:
    return _to(m, site, stream, m.memory.text(address, site))


def _putchar(m: Machine, site: int, value: int, *stream: int) -> int:
    _to(m, site, stream[0] if stream else 0, bytes([value & 255]))
    return value & 255


def _fwrite(m: Machine, site: int, address: int, size: int, count: int, stream: int) -> int:
    _to(m, site, stream, m.memory.read(address, size * count, site))
    return count


def _perror(m: Machine, site: int, address: int) -> int:
    return _write(m, (m.memory.text(address, site) if address else b"") + b": error\n")


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "printf": _printf,
    "fprintf": _fprintf,
    "dprintf": _fprintf,
    "snprintf": _snprintf,
    "sprintf": _sprintf,
    "puts": _puts,
    "fputs": _fputs,
    "putchar": _putchar,
    "putc": _putchar,
    "fputc": _putchar,
    "fwrite": _fwrite,
    "perror": _perror,
    "fflush": lambda m, site, stream: 0,
    "setbuf": lambda m, site, stream, buffer: 0,
    "setvbuf": lambda m, site, stream, buffer, mode, size: 0,
    "getchar": lambda m, site: _EOF,
}
