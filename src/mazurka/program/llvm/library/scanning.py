"""``scanf`` and its like. Source: C17, 7.21.6.2. Wide characters and ``%p`` are not supported: the execution is cut."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.files import ahead, skip
from mazurka.program.llvm.library.floats import float_of
from mazurka.program.llvm.library.numbers import integer_of
from mazurka.program.llvm.library.variable_arguments import INTEGER, NextArgument, from_call, from_list
from mazurka.program.llvm.operations import bits_double, bits_float, bits_x86_fp80

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_PART: Final = re.compile(rb"\s+|%(\*?)(\d*)(hh|h|ll|l|q|z|j|t|L)?(\[\^?\]?[^\]]*\]|.)|.", re.DOTALL)
_SIZES: Final = {b"hh": 1, b"h": 2, b"l": 8, b"ll": 8, b"q": 8, b"z": 8, b"j": 8, b"t": 8}
_BASES: Final = {b"d": 10, b"u": 10, b"i": 0, b"x": 16, b"X": 16, b"o": 8}
_FLOATS: Final = b"fFeEgGaA"
_SPACE: Final = re.compile(rb"\s*")
_TEXT: Final = re.compile(rb"\S*")
_EOF: Final = -1


class _ScannedText:
    """A text that ``scanf`` scans: its place in the text, and the number of conversions that it has stored."""

    def __init__(self, m: Machine, site: int, text: bytes, next_argument: NextArgument) -> None:
        self.m, self.site, self.text, self.next_argument = m, site, text, next_argument
        self.at = 0
        self.stored = 0

    def run(self, pattern: bytes) -> int:
        """The result of ``scanf``."""
        has_converted = False
        for part in _PART.finditer(pattern):
            kind = part[4]
            if kind is None or kind == b"%":
                if not self._literal(part[0]):
                    return self._early(has_converted)
            elif kind == b"n":
                self._store(part, self.at.to_bytes(8, "little"))
            elif self._convert(part, kind):
                has_converted = True
                self.stored += not part[1]
            else:
                return self._early(has_converted)
        return self.stored

    def _early(self, has_converted: bool) -> int:
        return _EOF if self.at >= len(self.text) and not has_converted else self.stored

    def _skip_space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _literal(self, part: bytes) -> bool:
        if part.isspace():
            self._skip_space()
            return True
        if part == b"%%":
            self._skip_space()
        if self.text[self.at : self.at + 1] != part[:1]:
            return False
        self.at += 1
        return True

    def _convert(self, part: re.Match[bytes], kind: bytes) -> bool:
        if kind != b"c" and not kind.startswith(b"["):
            self._skip_space()
        most = int(part[2]) if part[2] else None
        rest = self.text[self.at :] if most is None else self.text[self.at : self.at + most]
        taken, content = self._converted(part, kind, rest)
        if not taken:
            return False
        self.at += taken
        self._store(part, content)
        return True

    def _converted(self, part: re.Match[bytes], kind: bytes, rest: bytes) -> tuple[int, bytes]:
        """How many bytes a conversion takes, 0 if it fails, and the bytes to store."""
        if kind == b"c":
            size = int(part[2] or 1)
            return (size, rest[:size]) if len(rest) >= size else (0, b"")
        if kind == b"s" or kind.startswith(b"["):
            found = (_TEXT if kind == b"s" else _set_of(kind)).match(rest)
            return (len(found[0]), found[0] + b"\0") if found else (0, b"")
        if kind in _BASES:
            value, taken = integer_of(rest, _BASES[kind])
            size = _SIZES.get(part[3] or b"", 4)
            return taken, (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        if kind in _FLOATS:
            number, taken = float_of(rest)
            return taken, {
                b"l": bits_double(number).to_bytes(8, "little"),
                b"L": bits_x86_fp80(number).to_bytes(10, "little"),
            }.get(part[3], bits_float(number).to_bytes(4, "little"))
        self.m.run.stop(
            f"the run was cut: scanf with %{kind.decode(errors='replace')} is not supported "
            f"({self.m.location(self.site)})"
        )
        return 0, b""

    def _store(self, part: re.Match[bytes], content: bytes) -> None:
        if part[1]:
            return
        place = self.next_argument(INTEGER)
        if part[4] == b"n":
            content = content[: _SIZES.get(part[3] or b"", 4)]
        self.m.memory.write(place, content, self.site)


def _set_of(kind: bytes) -> re.Pattern[bytes]:
    """The expression for a set of characters, as ``%[...]`` has it."""
    inside = kind[1:-1]
    negated = inside.startswith(b"^")
    escaped = re.sub(rb"([\\\]\[^&~|])", rb"\\\1", inside[negated:])
    return re.compile(b"[" + b"^" * negated + escaped + b"]*", re.DOTALL)


def _given(m: Machine, site: int, given: Any) -> NextArgument:
    return from_call(m, site, given) if isinstance(given, tuple) else from_list(m, site, given)


def _sscanf(m: Machine, site: int, source: int, pattern: int, given: Any) -> int:
    text = m.memory.text(source, site)
    return _ScannedText(m, site, text, _given(m, site, given)).run(m.memory.text(pattern, site))


def _fscanf(m: Machine, site: int, stream: int, pattern: int, given: Any) -> int:
    found = ahead(m, site, stream)
    if found is None:
        return _EOF
    opened, text = found
    scan = _ScannedText(m, site, text, _given(m, site, given))
    result = scan.run(m.memory.text(pattern, site))
    skip(opened, scan.at)
    opened.ended = scan.at >= len(text)
    return result


def _with_arguments(function: Callable[..., int]) -> Callable[..., int]:
    return lambda m, site, source, pattern, *given: function(m, site, source, pattern, given)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sscanf": _with_arguments(_sscanf),
    "vsscanf": _sscanf,
    "fscanf": _with_arguments(_fscanf),
    "vfscanf": _fscanf,
    "scanf": lambda m, site, pattern, *given: _EOF,
    "vscanf": lambda m, site, pattern, given: _EOF,
}
