"""``string.h`` and ``strings.h``.

Source: C17, 7.24; POSIX.1-2017. A function that reads and writes bytes is one step for the reads of each argument and
one for the writes. Bytes that depend on unknown inputs stay so where they are copied or compared; lengths and places
that a function looks for become definite, and so do the texts that ``strstr`` and ``memmem`` search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.memory import allocate
from mazurka.program.llvm.unknown_bytes import SymbolicBytes, compared, picked

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def _text(m: Machine, site: int, address: int, most: int | None = None) -> SymbolicBytes:
    """A text without its end, or at most so many bytes that need have none."""
    if most is None:
        return m.memory.text_as_is(address, site)
    return m.memory.text_as_is(address, site, most) if most else SymbolicBytes()


def _known(m: Machine, site: int, address: int) -> bytes:
    """A text, which becomes definite."""
    return bytes(m.memory.text(address, site))


def _memcmp(m: Machine, site: int, one: int, other: int, size: int) -> Any:
    return _compared(m.memory.take(one, size, site), m.memory.take(other, size, site))


def _compared(one: SymbolicBytes, other: SymbolicBytes, *, folds: bool = False) -> Any:
    if not (one.unknown or other.unknown):
        first, second = (one.data.lower(), other.data.lower()) if folds else (one.data, other.data)
        return (first > second) - (first < second)
    both = [list(map(_folded, each.numbers())) if folds else each.numbers() for each in (one, other)]
    return compared(*both)


def _folded(letter: Any) -> Any:
    return picked((letter >= 65) & (letter <= 90), letter + 32, letter)


def _memchr(m: Machine, site: int, address: int, value: int, size: int, *, last: bool = False) -> int:
    """``memchr`` reads no byte after the one that it finds; ``memrchr`` reads all."""
    if not size:
        return 0
    wanted = value & 255
    content = m.memory.take(address, size, site) if last else m.memory.until(address, wanted, site, size)
    at = content.find(wanted, last=last)
    return address + at if at >= 0 else 0


def _memmem(m: Machine, site: int, address: int, size: int, wanted: int, length: int) -> int:
    at = m.memory.read(address, size, site).find(m.memory.read(wanted, length, site))
    return address + at if at >= 0 else 0


def _memccpy(m: Machine, site: int, to: int, source: int, value: int, size: int) -> int:
    """Copy the bytes up to one, and itself."""
    content = m.memory.until(source, value & 255, site, size) if size else SymbolicBytes()
    m.memory.write(to, content, site)
    return to + len(content) if content.find(value & 255) >= 0 else 0


def _copied(m: Machine, site: int, to: int, source: int) -> int:
    """Copy a text; returns the address of its copy's end."""
    text = _text(m, site, source)
    m.memory.write(to, text + b"\0", site)
    return to + len(text)


def _padded(m: Machine, site: int, to: int, source: int, size: int) -> int:
    """``stpncpy``: copy at most ``size`` bytes of a text and fill the rest with zeros."""
    text = _text(m, site, source, size)
    m.memory.write(to, text + bytes(size - len(text)), site)
    return to + len(text)


def _appended(m: Machine, site: int, to: int, source: int, most: int | None = None) -> int:
    text = _text(m, site, source, most)
    m.memory.write(to + len(_text(m, site, to)), text + b"\0", site)
    return to


def _strlcpy(m: Machine, site: int, to: int, source: int, size: int) -> int:
    text = _text(m, site, source)
    if size:
        m.memory.write(to, text[: size - 1] + b"\0", site)
    return len(text)


def _strlcat(m: Machine, site: int, to: int, source: int, size: int) -> int:
    before, text = _text(m, site, to, size), _text(m, site, source)
    if len(before) < size:
        m.memory.write(to + len(before), text[: size - len(before) - 1] + b"\0", site)
    return len(before) + len(text)


def _comparing(*, folds: bool = False) -> Callable[..., Any]:
    """``strcmp`` and the like, with or without a greatest length. Of the first text no byte is read that is compared
    with none of the second."""

    def called(m: Machine, site: int, one: int, other: int, most: int | None = None) -> Any:
        second = _text(m, site, other, most)
        read = len(second) + 1
        first = _text(m, site, one, read if most is None else min(most, read))
        return _compared(first, second, folds=folds)

    return called


def _strchr(m: Machine, site: int, address: int, value: int, *, last: bool = False) -> int:
    at = (_text(m, site, address) + b"\0").find(value & 255, last=last)
    return address + at if at >= 0 else 0


def _strchrnul(m: Machine, site: int, address: int, value: int) -> int:
    return _strchr(m, site, address, value) or address + len(_text(m, site, address))


def _strstr(m: Machine, site: int, address: int, wanted: int, *, folds: bool = False) -> int:
    text, part = _known(m, site, address), _known(m, site, wanted)
    at = text.lower().find(part.lower()) if folds else text.find(part)
    return address + at if at >= 0 else 0


def _strdup(m: Machine, site: int, address: int, most: int | None = None) -> int:
    text = _text(m, site, address, most) + b"\0"
    return allocate(m, site, len(text), text)


def _spans(m: Machine, site: int, address: int, among: int, *, inside: bool) -> int:
    return _span(_text(m, site, address), _known(m, site, among), inside=inside)


def _span(text: SymbolicBytes, among: bytes, *, inside: bool) -> int:
    """The number of bytes at the beginning of a text that are all among some bytes, or none of which is."""
    for at, each in enumerate(text.numbers()):
        if bool(_is_among(each, among)) is not inside:
            return at
    return len(text)


def _is_among(letter: Any, letters: bytes) -> Any:
    if type(letter) is int:
        return letter in letters
    found: Any = 0
    for each in letters:
        found = (letter == each) | found
    return found


def _strpbrk(m: Machine, site: int, address: int, among: int) -> int:
    text = _text(m, site, address)
    at = _span(text, _known(m, site, among), inside=False)
    return address + at if at < len(text) else 0


def _next_word(m: Machine, site: int, address: int, separators: int) -> tuple[int, int]:
    """The addresses of the next word of a text, which ends with a zero byte from now on, and of the rest after it;
    0 for a word that there is not."""
    text, among = _text(m, site, address), _known(m, site, separators)
    start = _span(text, among, inside=True)
    if start == len(text):
        return 0, address + start
    end = start + _span(text[start:], among, inside=False)
    if end == len(text):
        return address + start, address + end
    m.memory.store(address + end, 1, 0, site)
    return address + start, address + end + 1


def _strtok_r(m: Machine, site: int, address: int, separators: int, place: int) -> int:
    word, rest = _next_word(m, site, address or m.memory.load(place, 8, site), separators)
    m.memory.store(place, 8, rest, site)
    return word


def _strtok(m: Machine, site: int, address: int, separators: int) -> int:
    place = m.memory.of_library("the text of strtok", 8, "global").address
    address = address or m.memory.load(place, 8, site)
    if not address:
        raise ProgramFault("null pointer", "calls strtok(NULL, ...) before it has been given a text", site)
    return _strtok_r(m, site, address, separators, place)


def _strsep(m: Machine, site: int, place: int, separators: int) -> int:
    address = m.memory.load(place, 8, site)
    if not address:
        return 0
    text = _text(m, site, address)
    end = _span(text, _known(m, site, separators), inside=False)
    if end < len(text):
        m.memory.store(address + end, 1, 0, site)
    m.memory.store(place, 8, address + end + 1 if end < len(text) else 0, site)
    return int(address)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "memcmp": _memcmp,
    "bcmp": _memcmp,
    "memchr": _memchr,
    "memrchr": lambda m, site, address, value, size: _memchr(m, site, address, value, size, last=True),
    "memccpy": _memccpy,
    "memmem": _memmem,
    "rawmemchr": lambda m, site, address, value: _memchr(m, site, address, value, 1 << 28),
    "strlen": lambda m, site, address: len(_text(m, site, address)),
    "strnlen": lambda m, site, address, most: len(_text(m, site, address, most)),
    "strcpy": lambda m, site, to, source: _copied(m, site, to, source) and to,
    "stpcpy": _copied,
    "strncpy": lambda m, site, to, source, size: _padded(m, site, to, source, size) and to,
    "stpncpy": _padded,
    "strlcpy": _strlcpy,
    "strcat": _appended,
    "strncat": _appended,
    "strlcat": _strlcat,
    **dict.fromkeys(("strcmp", "strncmp", "strcoll"), _comparing()),
    **dict.fromkeys(("strcasecmp", "strncasecmp"), _comparing(folds=True)),
    **dict.fromkeys(("strchr", "index"), _strchr),
    **dict.fromkeys(("strrchr", "rindex"), lambda m, site, address, value: _strchr(m, site, address, value, last=True)),
    "strchrnul": _strchrnul,
    "strstr": _strstr,
    "strcasestr": lambda m, site, address, wanted: _strstr(m, site, address, wanted, folds=True),
    **dict.fromkeys(("strdup", "strndup", "__strdup"), _strdup),
    "strspn": lambda m, site, address, among: _spans(m, site, address, among, inside=True),
    "strcspn": lambda m, site, address, among: _spans(m, site, address, among, inside=False),
    "strpbrk": _strpbrk,
    **dict.fromkeys(("strtok_r", "__strtok_r"), _strtok_r),
    "strtok": _strtok,
    "strsep": _strsep,
    "strxfrm": _strlcpy,
    **dict.fromkeys(("ffs", "ffsl", "ffsll"), lambda m, site, value: (value & -value).bit_length()),
}
