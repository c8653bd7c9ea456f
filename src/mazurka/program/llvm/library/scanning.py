"""``sscanf``.

Source: C17, 7.21.6.2. Sets of characters (``%[``) and floats are not supported: the execution is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_PART: Final = re.compile(rb"\s+|%(\*?)(\d*)(hh|h|ll|l|z|j|t)?(.)|.", re.DOTALL)
_SIZES: Final = {b"hh": 1, b"h": 2, b"l": 8, b"ll": 8, b"z": 8, b"j": 8, b"t": 8}
_NUMBERS: Final = {
    b"d": rb"[+-]?\d+",
    b"u": rb"[+-]?\d+",
    b"i": rb"[+-]?(?:0[xX][0-9a-fA-F]+|\d+)",
    b"x": rb"[+-]?(?:0[xX])?[0-9a-fA-F]+",
    b"o": rb"[+-]?[0-7]+",
}
_BASES: Final = {b"d": 10, b"u": 10, b"x": 16, b"o": 8}


def _sscanf(m: Machine, site: int, source: int, pattern: int, *places: int) -> int:
    text, at, found = m.memory.text(source, site), 0, 0
    left = list(places)
    for part in _PART.finditer(m.memory.text(pattern, site)):
        if part[4] is None or part[4] == b"%":
            space = part[0].isspace()
            literal = re.compile(rb"\s*" if space else re.escape(part[0][:1])).match(text, at)
            if literal is None:
                return found
            at = literal.end()
            continue
        kind, most = part[4], int(part[2] or 0)
        wanted = _NUMBERS.get(kind) or {b"s": rb"\S+", b"c": b".{%d}" % (most or 1)}.get(kind)
        if wanted is None:
            m.run.stop(f"the run was cut: sscanf with %{kind.decode(errors='replace')} is not supported")
            return found
        if kind != b"c":
            at += len(text[at:]) - len(text[at:].lstrip())
        given = re.compile(wanted, re.DOTALL).match(text, at, at + most if most else len(text))
        if given is None:
            return found or (-1 if at >= len(text) else 0)
        at = given.end()
        if part[1]:
            continue
        place = left.pop(0)
        if kind in (b"s", b"c"):
            m.memory.write(place, given[0] + (b"\0" if kind == b"s" else b""), site)
        else:
            size = _SIZES.get(part[3] or b"", 4)
            number = _number(given[0], kind)
            m.memory.store(place, size, number & (1 << 8 * size) - 1, site)
        found += 1
    return found


def _number(text: bytes, kind: bytes) -> int:
    base = _BASES.get(kind)
    if base is None:
        digits = text.lstrip(b"+-").lower()
        base = 16 if digits.startswith(b"0x") else 8 if digits.startswith(b"0") else 10
    return int(text, base)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {**dict.fromkeys(("sscanf", "__isoc99_sscanf"), _sscanf)}
