"""``stdio.h``: output, which is kept for the report. Input is at its end.

Source: C17, 7.21. Writing to a stream is no step: threads' outputs come in the order of their calls, and no function
reads them again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.files import put, written
from mazurka.program.llvm.library.formatting import formatted
from mazurka.program.llvm.library.memory import allocate
from mazurka.program.llvm.library.open_files import files_of
from mazurka.program.llvm.library.variable_arguments import from_call, from_list
from mazurka.program.llvm.unknown_bytes import SymbolicBytes, byte_of
from mazurka.symbolic.values import plain

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EOF: Final = -1


def _write(m: Machine, text: bytes) -> int:
    m.run.current.silent += 1
    m.output.append(text)
    return len(text)


def _to(m: Machine, site: int, stream: int, text: SymbolicBytes) -> int:
    """Write to a stream: a file that the program has opened, or the output."""
    opened = files_of(m).stream(stream, site)
    return put(m, site, opened, text) if opened is not None else _write(m, text.data)


def text_of(m: Machine, site: int, pattern: int, given: Any) -> bytes:
    """The text of a format and its arguments: those of the call, or a ``va_list``."""
    next_argument = from_call(m, site, given) if isinstance(given, tuple) else from_list(m, site, given)
    return formatted(m, site, m.memory.text(pattern, site), next_argument)


def _printf(m: Machine, site: int, pattern: int, *given: Any) -> int:
    values = tuple([plain(each) for each in given])  # nothing that the program does depends on its output
    return _write(m, text_of(m, site, pattern, values))


def _vprintf(m: Machine, site: int, pattern: int, given: int) -> int:
    return _write(m, text_of(m, site, pattern, given))


def _fprintf(m: Machine, site: int, stream: int, pattern: int, given: Any) -> int:
    return _to(m, site, stream, SymbolicBytes(text_of(m, site, pattern, given)))


def _dprintf(m: Machine, site: int, number: int, pattern: int, given: Any) -> int:
    return written(m, site, number, SymbolicBytes(text_of(m, site, pattern, given)))


def _snprintf(m: Machine, site: int, to: int, most: int, pattern: int, given: Any) -> int:
    text = text_of(m, site, pattern, given)
    if most:
        m.memory.write(to, text[: most - 1] + b"\0", site)
    return len(text)


def _sprintf(m: Machine, site: int, to: int, pattern: int, given: Any) -> int:
    text = text_of(m, site, pattern, given)
    m.memory.write(to, text + b"\0", site)
    return len(text)


def _asprintf(m: Machine, site: int, place: int, pattern: int, given: Any) -> int:
    text = text_of(m, site, pattern, given)
    m.memory.store(place, 8, allocate(m, site, len(text) + 1, text + b"\0"), site)
    return len(text)


def _with_arguments(function: Callable[..., int], named: int) -> Callable[..., int]:
    """The function that takes the arguments themselves, after so many others."""

    def called(m: Machine, site: int, *arguments: Any) -> int:
        return function(m, site, *arguments[:named], arguments[named:])

    return called


def _puts(m: Machine, site: int, address: int) -> int:
    return _write(m, m.memory.text_as_is(address, site).data + b"\n")


def _fputs(m: Machine, site: int, address: int, stream: int) -> int:
    return _to(m, site, stream, m.memory.text_as_is(address, site))


def _putchar(m: Machine, site: int, value: Any, *stream: int) -> Any:
    text = byte_of(value)
    if stream:
        _to(m, site, stream[0], text)
    else:
        _write(m, text.data)
    return value & 255


def _fwrite(m: Machine, site: int, address: int, size: int, count: int, stream: int) -> int:
    _to(m, site, stream, m.memory.take(address, size * count, site))
    return count


def _perror(m: Machine, site: int, address: int) -> int:
    return _write(m, (m.memory.text(address, site) if address else b"") + b": error\n")


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "printf": _printf,
    "vprintf": _vprintf,
    "fprintf": _with_arguments(_fprintf, 2),
    "vfprintf": _fprintf,
    "dprintf": _with_arguments(_dprintf, 2),
    "vdprintf": _dprintf,
    "snprintf": _with_arguments(_snprintf, 3),
    "vsnprintf": _snprintf,
    "sprintf": _with_arguments(_sprintf, 2),
    "vsprintf": _sprintf,
    "asprintf": _with_arguments(_asprintf, 2),
    "vasprintf": _asprintf,
    "puts": _puts,
    **dict.fromkeys(("fputs", "fputs_unlocked"), _fputs),
    **dict.fromkeys(("putchar", "putc", "fputc"), _putchar),
    **dict.fromkeys(("putchar_unlocked", "putc_unlocked", "fputc_unlocked"), _putchar),
    "__overflow": lambda m, site, stream, value: _putchar(m, site, value, stream),
    **dict.fromkeys(("fwrite", "fwrite_unlocked"), _fwrite),
    "perror": _perror,
    **dict.fromkeys(("fflush", "fflush_unlocked"), lambda m, site, stream: 0),
    "__fpurge": lambda m, site, stream: None,
    "__fpending": lambda m, site, stream: 0,
    "__freading": lambda m, site, stream: 0,
    "setbuf": lambda m, site, stream, buffer: 0,
    "setvbuf": lambda m, site, stream, buffer, mode, size: 0,
    "getchar": lambda m, site: _EOF,
}
