"""The environment, which is empty when an execution begins.

Source: C17, 7.22.4.6; POSIX.1-2017, 8. It is one location: a thread that sets a variable is in conflict with those that
ask for any, and races with them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.library.threads import EINVAL
from mazurka.program.llvm.memory_objects import MemoryObject
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_ENVIRONMENT: Final = "the environment"
_SIZE: Final = 8


def _values(m: Machine, site: int, op: Op) -> dict[bytes, int]:
    """The addresses of values by names, after a step that asks for them, or changes them."""
    found: dict[bytes, int] = m.state.setdefault(_ENVIRONMENT, {})
    if not m.run.solo:
        m.memory.visit(op, _place(m), 0, _SIZE, site)
    return found


def _place(m: Machine) -> MemoryObject:
    """An object that has another value after each change."""
    return m.memory.of_library(_ENVIRONMENT, _SIZE, "global")


def _changed(m: Machine) -> int:
    """Give the environment's object the value that stands for its variables; returns 0."""
    if m.environment:
        text = "changes of the environment, of a program that looks at `environ`"
        m.run.untracked[text] = m.run.untracked.get(text, 0) + 1
    now = zlib.crc32(repr(sorted(m.state[_ENVIRONMENT].items())).encode())
    m.memory.put(_place(m), 0, _SIZE, now)
    return 0


def _getenv(m: Machine, site: int, name: int) -> int:
    wanted = m.memory.text(name, site)
    return _values(m, site, Op.READ).get(wanted, 0)


def _is_name(m: Machine, text: bytes) -> bool:
    if text and b"=" not in text:
        return True
    set_errno(m, EINVAL)
    return False


def _setenv(m: Machine, site: int, name: int, value: int, overwrites: int) -> int:
    key, text = m.memory.text(name, site), m.memory.text(value, site)
    if not _is_name(m, key):
        return -1
    values = _values(m, site, Op.RMW)
    if overwrites or key not in values:
        values[key] = m.memory.allocate(len(text) + 1, "environment", "environment", text + b"\0").address
    return _changed(m)


def _unsetenv(m: Machine, site: int, name: int) -> int:
    key = m.memory.text(name, site)
    if not _is_name(m, key):
        return -1
    _values(m, site, Op.RMW).pop(key, None)
    return _changed(m)


def _putenv(m: Machine, site: int, text: int) -> int:
    """The text itself becomes part of the environment; without "=" its name is removed."""
    name, equals, _ = m.memory.text(text, site).partition(b"=")
    values = _values(m, site, Op.RMW)
    if equals:
        values[name] = text + len(name) + 1
    else:
        values.pop(name, None)
    return _changed(m)


def _clearenv(m: Machine, site: int) -> int:
    _values(m, site, Op.RMW).clear()
    return _changed(m)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("getenv", "secure_getenv"), _getenv),
    "setenv": _setenv,
    "unsetenv": _unsetenv,
    "putenv": _putenv,
    "clearenv": _clearenv,
}
