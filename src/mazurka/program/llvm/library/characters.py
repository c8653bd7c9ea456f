"""``ctype.h``, in the locale "C". Source: C17, 7.4; the tables of glibc's macros."""

from __future__ import annotations

import string
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The characters of each class, in the order of glibc's bits; the eight first ones are in the table's second byte.
CLASSES: Final = {
    "isupper": string.ascii_uppercase,
    "islower": string.ascii_lowercase,
    "isalpha": string.ascii_letters,
    "isdigit": string.digits,
    "isxdigit": string.hexdigits,
    "isspace": string.whitespace,
    "isprint": "".join(map(chr, range(32, 127))),
    "isgraph": "".join(map(chr, range(33, 127))),
    "isblank": " \t",
    "iscntrl": "".join(map(chr, (*range(32), 127))),
    "ispunct": string.punctuation,
    "isalnum": string.ascii_letters + string.digits,
}

_CHARACTERS: Final = range(-128, 256)


def _tests(characters: str) -> Callable[..., int]:
    return lambda m, site, value: int(0 < value < 128 and chr(value) in characters or not value and "\0" in characters)


def _changed(change: Callable[[str], str], value: int) -> int:
    return ord(change(chr(value))) if 0 <= value < 128 else value


def _case(change: Callable[[str], str]) -> Callable[..., int]:
    return lambda m, site, value: _changed(change, value)


def _bits(value: int) -> int:
    classes = [0 <= value < 128 and chr(value) in each for each in CLASSES.values()]
    return sum(bit << (8 + at if at < 8 else at - 8) for at, bit in enumerate(classes))


def _table(name: str, width: int, entry: Callable[[int], int]) -> Callable[..., int]:
    """The function that returns the address of a pointer to a table for the characters from 0 on; those of -128 to -1
    stand before."""

    @cache
    def content() -> bytes:
        mask = (1 << 8 * width) - 1
        return b"".join((entry(value) & mask).to_bytes(width, "little") for value in _CHARACTERS)

    def called(m: Machine, _site: int) -> int:
        table = m.memory.of_library(f"{name} table", len(content()), "constant", content())
        start = table.address - _CHARACTERS[0] * width
        return m.memory.of_library(name, 8, "constant", start.to_bytes(8, "little")).address

    return called


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{name: _tests(characters) for name, characters in CLASSES.items()},
    "toupper": _case(str.upper),
    "tolower": _case(str.lower),
    "isascii": lambda m, site, value: int(value < 128),
    "toascii": lambda m, site, value: value & 127,
    "__ctype_b_loc": _table("ctype", 2, _bits),
    "__ctype_toupper_loc": _table("toupper", 4, lambda value: _changed(str.upper, value)),
    "__ctype_tolower_loc": _table("tolower", 4, lambda value: _changed(str.lower, value)),
}
