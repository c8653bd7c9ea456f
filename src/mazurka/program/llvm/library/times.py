"""``time.h``. Time is virtual, and begins at the same moment in every execution; the time zone is UTC.

Source: C17, 7.27; POSIX.1-2017. ``gmtime``, ``localtime``, ``asctime`` and ``ctime`` write memory that all threads
share, as glibc's do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.floats import signed
from mazurka.program.llvm.library.locales import text_of_library
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.library.threads import CLOCKS, EINVAL, EPOCH, REALTIME, failed_with, interval

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The size of ``struct tm``, its integers, and its size with the parts of glibc's own.
_FIELDS, _SIZE = 9, 56

_DAY: Final = 86_400
_EOVERFLOW: Final = 75
_ABSOLUTE: Final = 1
_TIME_UTC: Final = 1
_EOPNOTSUPP: Final = 95

#: The clocks by which threads sleep, and those by which they can't, though these exist.
_SLEPT_BY: Final = (0, 1, 7, 11)
_NOT_SLEPT_BY: Final = (4, 5, 6)
_UNKNOWN: Final = "the run was cut: strftime of fields out of their ranges, or with %{} is not modelled ({})"

#: The first second of the year 1 and of the year 10000, between which dates are known.
_FIRST, _END = -62_135_596_800, 253_402_300_800


def _time(m: Machine, site: int, place: int) -> int:
    now = int(EPOCH + m.run.now())
    if place:
        m.memory.store(place, 8, now, site)
    return now


def _write_now(m: Machine, site: int, place: int, parts: float, clock: int = REALTIME) -> int:
    now = CLOCKS[clock] + m.run.now()
    m.memory.store(place, 8, int(now), site)
    m.memory.store(place + 8, 8, int(now % 1 * parts), site)
    return 0


def _clock_gettime(m: Machine, site: int, clock: int, place: int) -> int:
    return _write_now(m, site, place, 1e9, clock) if clock in CLOCKS else failed_with(m, EINVAL)


def _resolution(m: Machine, site: int, clock: int, place: int) -> int:
    if clock not in CLOCKS:
        return failed_with(m, EINVAL)
    if place:
        m.memory.write(place, (1 << 64).to_bytes(16, "little"), site)  # one nanosecond
    return 0


def sleep_for(m: Machine, site: int, wanted: int) -> int:
    """Sleep for the time of a ``timespec``; returns EINVAL if it is none."""
    seconds = interval(m, wanted, site)
    if seconds < 0:
        return EINVAL
    m.run.sleep(seconds, site)
    return 0


def _clock_nanosleep(m: Machine, site: int, clock: int, flags: int, wanted: int, _rest: int) -> int:
    if clock not in _SLEPT_BY:
        return _EOPNOTSUPP if clock in _NOT_SLEPT_BY else EINVAL
    if not flags & _ABSOLUTE:
        return sleep_for(m, site, wanted)
    seconds = interval(m, wanted, site)
    if seconds < 0:
        return EINVAL
    m.run.sleep(max(0.0, seconds - CLOCKS[clock] - m.run.now()), site)
    return 0


def _timespec_get(m: Machine, site: int, place: int, base: int) -> int:
    if base != _TIME_UTC:
        return 0
    _write_now(m, site, place, 1e9)
    return base


# -- calendar ----------------------------------------------------------------------------------------------------------


def _broken_down(m: Machine, seconds: int, zone: bytes) -> bytes | None:
    """A ``struct tm``; None if the year is not known."""
    if not _FIRST <= seconds < _END:
        return None
    days, rest = divmod(seconds, _DAY)
    day = date.fromordinal(days + date(1970, 1, 1).toordinal())
    fields = (
        *(rest % 60, rest // 60 % 60, rest // 3600, day.day, day.month - 1, day.year - 1900),
        *((day.weekday() + 1) % 7, day.timetuple().tm_yday - 1, 0),
    )
    content = b"".join(each.to_bytes(4, "little", signed=True) for each in fields)
    return content.ljust(_SIZE - 8, b"\0") + text_of_library(m, zone).to_bytes(8, "little")


def _calendar(zone: bytes, *, shared: bool) -> Callable[..., int]:
    """``gmtime`` and ``localtime``; the functions that end in ``_r`` are given a place."""

    def called(m: Machine, site: int, seconds: int, place: int = 0) -> int:
        content = _broken_down(m, signed(int(m.memory.load(seconds, 8, site)), 64), zone)
        if content is None:
            set_errno(m, _EOVERFLOW)
            return 0
        to = m.memory.of_library("the struct tm of time.h", _SIZE, "global").address if shared else place
        m.memory.write(to, content, site)
        return to

    return called


def _fields(m: Machine, site: int, place: int) -> list[int]:
    content = m.memory.read(place, 4 * _FIELDS, site)
    return [int.from_bytes(content[at : at + 4], "little", signed=True) for at in range(0, 4 * _FIELDS, 4)]


def _seconds(m: Machine, site: int, place: int) -> int:
    """``mktime`` and ``timegm``: fields out of their ranges are brought into them."""
    second, minute, hour, day, month, year, *_ = _fields(m, site, place)
    year, month = year + 1900 + month // 12, month % 12
    if not 1 <= year <= 9999:
        set_errno(m, _EOVERFLOW)
        return -1
    days = date(year, month + 1, 1).toordinal() - date(1970, 1, 1).toordinal() + day - 1
    seconds = days * _DAY + hour * 3600 + minute * 60 + second
    content = _broken_down(m, seconds, b"UTC")
    if content is None:
        set_errno(m, _EOVERFLOW)
        return -1
    m.memory.write(place, content, site)
    return seconds


def _python_time(fields: list[int]) -> time.struct_time:
    second, minute, hour, day, month, year, weekday, of_year, _ = fields
    return time.struct_time((year + 1900, month + 1, day, hour, minute, second, (weekday - 1) % 7, of_year + 1, 0))


def _strftime(m: Machine, site: int, to: int, most: int, pattern: int, place: int) -> int:
    text, fields = m.memory.text(pattern, site).decode("latin-1"), _fields(m, site, place)
    ranges = (61, 60, 24, 32, 12, 8100, 7, 366)
    unknown = next((each for each in "sZz" if f"%{each}" in text.replace("%%", "")), "")
    if unknown or not all(0 <= each < end for each, end in zip(fields, ranges, strict=False)):
        m.run.stop(_UNKNOWN.format(unknown or "...", m.location(site)))
    made = time.strftime(text, _python_time(fields)).encode("latin-1") if text else b""
    if len(made) >= most:
        return 0
    m.memory.write(to, made + b"\0", site)
    return len(made)


_DAYS: Final = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _shown(fields: list[int]) -> bytes:
    second, minute, hour, day, month, year, weekday, *_ = fields
    names = [table[at] if 0 <= at < len(table) else "???" for table, at in ((_DAYS, weekday), (_MONTHS, month))]
    return f"{names[0]} {names[1]} {day:2} {hour:02}:{minute:02}:{second:02} {1900 + year}\n".encode()


def _asctime(m: Machine, site: int, place: int, to: int = 0) -> int:
    text = _shown(_fields(m, site, place))
    to = to or m.memory.of_library("the text of asctime", 64, "global").address
    m.memory.write(to, text + b"\0", site)
    return to


def _ctime(m: Machine, site: int, seconds: int, to: int = 0) -> int:
    broken = FUNCTIONS["localtime"](m, site, seconds)
    return _asctime(m, site, broken, to) if broken else 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "time": _time,
    "clock": lambda m, site: int(m.run.now() * 1e6),
    "clock_gettime": _clock_gettime,
    "clock_getres": _resolution,
    "gettimeofday": lambda m, site, place, zone: _write_now(m, site, place, 1e6),
    "timespec_get": _timespec_get,
    "nanosleep": lambda m, site, wanted, rest: failed_with(m, sleep_for(m, site, wanted)),
    "clock_nanosleep": _clock_nanosleep,
    "difftime": lambda m, site, one, other: float(signed(one, 64) - signed(other, 64)),
    "gmtime": _calendar(b"GMT", shared=True),
    "gmtime_r": _calendar(b"GMT", shared=False),
    "localtime": _calendar(b"UTC", shared=True),
    "localtime_r": _calendar(b"UTC", shared=False),
    **dict.fromkeys(("mktime", "timegm"), _seconds),
    "strftime": _strftime,
    **dict.fromkeys(("asctime", "asctime_r"), _asctime),
    **dict.fromkeys(("ctime", "ctime_r"), _ctime),
    "tzset": lambda m, site: None,
}
