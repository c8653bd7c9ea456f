"""The process: failed assertions, and the system that it runs on.

Source: C17, 7.2 and 7.22.4; POSIX.1-2017.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.exits import exit_process
from mazurka.program.llvm.library.floats import signed
from mazurka.program.llvm.library.locales import text_of_library
from mazurka.program.llvm.library.output import text_of
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.protocol import FailureKind

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def _assertion_failed(m: Machine, site: int, text: int, _file: int, _line: int, _function: int) -> None:
    words = m.memory.text(text, site).decode(errors="replace")
    raise ProgramFault("assertion", f"assertion failed: {words}", site, FailureKind.ASSERTION)


def _abort(_m: Machine, site: int) -> None:
    raise ProgramFault("abort", "calls abort()", site)


def _limit(m: Machine, site: int, resource: int, place: int) -> int:
    """``getrlimit``: only open files are limited."""
    none = (1 << 64) - 1
    now, most = (1024, 4096) if resource == _FILES else (none, none)
    m.memory.write(place, now.to_bytes(8, "little") + most.to_bytes(8, "little"), site)
    return 0


def _sysconf(m: Machine, _site: int, name: int) -> int:
    if name not in _SYSTEM:
        set_errno(m, _EINVAL)
    return _SYSTEM.get(name, -1)


def _affinity(m: Machine, site: int, _process: int, size: int, place: int) -> int:
    m.memory.write(place, ((1 << _SYSTEM[84]) - 1).to_bytes(size, "little"), site)
    return 0


def _affinity_count(m: Machine, site: int, size: int, place: int) -> int:
    return int.from_bytes(m.memory.read(place, size, site), "little").bit_count()


def _sysinfo(m: Machine, site: int, place: int) -> int:
    """The memory of the machine, in pages."""
    pages = [_SYSTEM[85], _SYSTEM[86], 0, 0, 0, 0]
    content = bytes(32) + b"".join(each.to_bytes(8, "little") for each in pages)
    m.memory.write(place, content.ljust(104, b"\0") + _SYSTEM[30].to_bytes(8, "little"), site)
    return 0


def _getrandom(m: Machine, site: int, place: int, size: int, _flags: int) -> int:
    text = "getrandom(), whose bytes are taken for zero"
    m.run.untracked[text] = m.run.untracked.get(text, 0) + 1
    m.memory.write(place, bytes(size), site)
    return size


def _error(m: Machine, site: int, status: int, number: int, pattern: int, *arguments: Any) -> None:
    """GNU's ``error``."""
    text = text_of(m, site, pattern, arguments)
    reason = f": {os.strerror(number)}".encode() if number else b""
    m.output.append(m.path.encode() + b": " + text + reason + b"\n")
    if status:
        exit_process(m, site, status)


def _error_text(m: Machine, _site: int, number: int, *_place: int) -> int:
    """``strerror``, and ``strerror_r`` as GNU has it, which need not use the place that it is given."""
    return text_of_library(m, os.strerror(signed(number, 32)).encode())


def _write_error_text(m: Machine, site: int, number: int, place: int, size: int) -> int:
    """``strerror_r`` as POSIX has it."""
    text = os.strerror(signed(number, 32)).encode()
    if size:
        m.memory.write(place, text[: size - 1] + b"\0", site)
    return 0 if len(text) < size else _ERANGE


def _trap(_m: Machine, site: int) -> None:
    raise ProgramFault("undefined behaviour", "comes to a trap", site)


_EINVAL, _ERANGE = 22, 34

#: The number of the resource ``RLIMIT_NOFILE``, and the number of the user.
_FILES, _USER = 7, 1000

#: The values of ``sysconf``: of a small machine that runs Linux.
_SYSTEM: Final = {0: 2097152, 2: 100, 3: 65536, 4: 1024, 30: 4096, 60: 1024, 83: 4, 84: 4, 85: 1 << 18, 86: 1 << 17}

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "__assert_fail": _assertion_failed,
    "abort": _abort,
    "getrlimit": _limit,
    "setrlimit": lambda m, site, resource, place: 0,
    **dict.fromkeys(("strerror", "strerror_r"), _error_text),
    "__xpg_strerror_r": _write_error_text,
    "sysconf": _sysconf,
    "getpagesize": lambda m, site: _SYSTEM[30],
    "getrandom": _getrandom,
    "sched_getaffinity": _affinity,
    "__sched_cpucount": _affinity_count,
    "sysinfo": _sysinfo,
    **dict.fromkeys(("getuid", "geteuid", "getgid", "getegid"), lambda m, site: _USER),
    "getppid": lambda m, site: 1,
    "error": _error,
    "llvm.trap": _trap,
    "llvm.debugtrap": _trap,
}
