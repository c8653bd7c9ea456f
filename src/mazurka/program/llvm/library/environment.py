"""The environment, which is empty when an execution begins.

Source: C17, 7.22.4.6; POSIX.1-2017, 8. It is one location: a thread that sets a variable is in conflict with those that
ask for any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.threads import EINVAL, set_errno
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_ENVIRONMENT: Final = (OBJECT, "the environment")


def _values(m: Machine, site: int, op: Op) -> dict[bytes, int]:
    """The addresses of values by names, after a step that asks for them, or changes them."""
    found: dict[bytes, int] = m.state.setdefault(_ENVIRONMENT, {})
    if not m.run.solo:
        m.memory.step(op, _ENVIRONMENT, site, lambda: ("str", repr(sorted(found.items()))))
    return found


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
    return 0


def _unsetenv(m: Machine, site: int, name: int) -> int:
    key = m.memory.text(name, site)
    if not _is_name(m, key):
        return -1
    _values(m, site, Op.RMW).pop(key, None)
    return 0


def _putenv(m: Machine, site: int, text: int) -> int:
    """The text itself becomes part of the environment; without "=" its name is removed."""
    name, equals, _ = m.memory.text(text, site).partition(b"=")
    values = _values(m, site, Op.RMW)
    if equals:
        values[name] = text + len(name) + 1
    else:
        values.pop(name, None)
    return 0


def _clearenv(m: Machine, site: int) -> int:
    _values(m, site, Op.RMW).clear()
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("getenv", "secure_getenv"), _getenv),
    "setenv": _setenv,
    "unsetenv": _unsetenv,
    "putenv": _putenv,
    "clearenv": _clearenv,
}
