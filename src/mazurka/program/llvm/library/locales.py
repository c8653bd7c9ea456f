"""``locale.h``, ``wchar.h`` and ``wctype.h``, in the locale "C", which is the only one; its characters are ASCII's.

Source: C17, 7.11, 7.29 and 7.30; POSIX.1-2017, 7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.characters import CLASSES
from mazurka.program.llvm.library.characters import FUNCTIONS as CHARACTERS
from mazurka.program.llvm.library.floats import FUNCTIONS as FLOATS
from mazurka.program.llvm.library.numbers import FUNCTIONS as NUMBERS
from mazurka.program.llvm.library.strings import FUNCTIONS as STRINGS
from mazurka.program.llvm.library.thread_storage import set_errno

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EILSEQ: Final = 84
_INVALID, _INCOMPLETE = -1, -2
_CODESET, _RADIX = 14, 0x10000
_CHAR_MAX: Final = 127
_ENOENT, _GLOBAL = 2, (1 << 64) - 1
_NAMES: Final = (b"", b"C", b"POSIX")
_NONE: Final = (1 << 32) - 1

#: The tables in a locale, their offset, and its size.
_TABLES: Final = ("b", "tolower", "toupper")
_TABLES_AT, _LOCALE = 104, 232


def text_of_library(m: Machine, text: bytes) -> int:
    """The address of a text that does not change."""
    return m.memory.of_library(f"the text {text!r}", len(text) + 1, "constant", text).address


def _setlocale(m: Machine, site: int, _category: int, name: int) -> int:
    wanted = m.memory.text(name, site) if name else b""
    return text_of_library(m, b"C") if wanted in _NAMES else 0


def _conventions(m: Machine, _site: int) -> int:
    """``localeconv``: the texts of ``struct lconv``, and its numbers, which are unspecified."""
    point, empty = text_of_library(m, b"."), text_of_library(m, b"")
    content = b"".join(each.to_bytes(8, "little") for each in (point, *[empty] * 9)) + bytes([_CHAR_MAX]) * 14
    return m.memory.of_library("lconv", 96, "constant", content).address


def _information(m: Machine, _site: int, item: int) -> int:
    return text_of_library(m, {_CODESET: b"ANSI_X3.4-1968", _RADIX: b"."}.get(item, b""))


def _to_wide(m: Machine, site: int, to: int, source: int, most: int, *_state: int) -> int:
    """``mbrtowc``, ``mbtowc``."""
    if not source:
        return 0
    if not most:
        return _INCOMPLETE
    value = m.memory.load(source, 1, site)
    if value > _CHAR_MAX:
        set_errno(m, _EILSEQ)
        return _INVALID
    if to:
        m.memory.store(to, 4, value, site)
    return int(value != 0)


def _to_bytes(m: Machine, site: int, to: int, value: int, *_state: int) -> int:
    """``wcrtomb``."""
    if not to:
        return 1
    if value > _CHAR_MAX:
        set_errno(m, _EILSEQ)
        return _INVALID
    m.memory.store(to, 1, value, site)
    return 1


def _width(_m: Machine, _site: int, value: int) -> int:
    """``wcwidth``."""
    return 0 if not value else 1 if value <= _CHAR_MAX and chr(value) in CLASSES["isprint"] else -1


def _newlocale(m: Machine, site: int, _mask: int, name: int, base: int) -> int:
    """The one locale, as an object; 0, and ``errno``, for a name that it does not have."""
    if m.memory.text(name, site) not in _NAMES:
        set_errno(m, _ENOENT)
        return 0
    return base or _locale(m, site)


def _locale(m: Machine, site: int) -> int:
    """An object as glibc's ``struct __locale_struct``, with its tables of characters."""
    tables = [m.memory.load(CHARACTERS[f"__ctype_{name}_loc"](m, site), 8, site) for name in _TABLES]
    content = bytes(_TABLES_AT) + b"".join(each.to_bytes(8, "little") for each in tables)
    return m.memory.of_library("the locale C", _LOCALE, "constant", content.ljust(_LOCALE, b"\0")).address


def _uselocale(m: Machine, _site: int, wanted: int) -> int:
    """The running thread's locale before."""
    key = ("locale", m.run.current.index)
    before: int = m.state.get(key, _GLOBAL)
    if wanted:
        m.state[key] = wanted
    return before


def _in_locale(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that is given a locale after its arguments."""
    return lambda m, site, *arguments: function(m, site, *arguments[:-1])


_PLAIN: Final[dict[str, Callable[..., Any]]] = {
    "setlocale": _setlocale,
    "localeconv": _conventions,
    "nl_langinfo": _information,
    "__ctype_get_mb_cur_max": lambda m, site: 1,
    "mbsinit": lambda m, site, state: 1,
    "mbrtowc": _to_wide,
    "mbtowc": lambda m, site, to, source, most: max(_to_wide(m, site, to, source, most), -1),
    "mbrlen": lambda m, site, source, most, state: _to_wide(m, site, 0, source, most),
    "wcrtomb": _to_bytes,
    "btowc": lambda m, site, value: value if value <= _CHAR_MAX else _NONE,
    "wctob": lambda m, site, value: value if value <= _CHAR_MAX else -1,
    "wcwidth": _width,
    **{f"isw{name.removeprefix('is')}": CHARACTERS[name] for name in CLASSES},
    "towupper": CHARACTERS["toupper"],
    "towlower": CHARACTERS["tolower"],
}

#: Functions of other headers that have forms with a locale.
_ELSEWHERE: Final = {
    **{name: STRINGS[name] for name in ("strcoll", "strxfrm", "strcasecmp", "strncasecmp")},
    **{name: FLOATS[name] for name in ("strtod", "strtof", "strtold")},
    **{name: NUMBERS[name] for name in ("strtol", "strtoll", "strtoul", "strtoull")},
    **CHARACTERS,
}

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **_PLAIN,
    **{f"{name}_l": _in_locale(function) for name, function in {**_ELSEWHERE, **_PLAIN}.items()},
    "newlocale": _newlocale,
    "duplocale": lambda m, site, locale: locale,
    "freelocale": lambda m, site, locale: None,
    "uselocale": _uselocale,
}
