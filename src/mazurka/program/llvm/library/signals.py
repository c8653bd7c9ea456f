"""Signals that a program sends to itself.

Source: POSIX.1-2017, 2.4. A signal that a thread raises in itself (``raise``, ``SIGPIPE``) takes effect there and then,
or where the thread no longer blocks it: its handler is called, which it interrupts no second time, or the process is
killed, which is a failure. Signals to other threads that they would handle, and those of timers, cut the execution.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

SIGPIPE: Final = 13
_EINVAL, _ESRCH = 22, 3
_DEFAULT, _IGNORE, _ERROR = 0, 1, (1 << 64) - 1
_LAST: Final = 64

#: Signals whose default is to be ignored; those that stop or continue the process.
_IGNORED: Final = (17, 23, 28)
_STOPPING: Final = (18, 19, 20, 21, 22)

#: The offsets of the mask and flags in ``struct sigaction``, its size, and the flags by which a handler serves once, or
#: its signal interrupts it.
_MASK_AT, _FLAGS_AT, _SIZE, _ONCE, _NESTS = 8, 136, 152, 0x80000000, 0x40000000

#: The first signal that is queued if it is pending.
_QUEUED: Final = 32

_SET_SIZE: Final = 128


def _action(number: int) -> Target:
    return (OBJECT, f"the action of signal {number}")


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _step(m: Machine, site: int, op: Op, number: int) -> None:
    if not m.run.solo:
        m.memory.step(op, _action(number), site, None)


def _not_modelled(m: Machine, site: int, what: str) -> None:
    m.run.stop(f"the run was cut: {what} is not modelled ({m.location(site)})")


def deliver(m: Machine, site: int, number: int) -> None:
    """A signal comes to the running thread, and takes effect unless it is blocked."""
    bit = 1 << number - 1
    if not mask_of(m) & bit:
        _take_effect(m, site, number)
        return
    pending = _pending(m)
    if number >= _QUEUED and pending & bit:
        _not_modelled(m, site, f"{_name(number)}, which is pending twice,")
    m.state["pending", m.run.current.index] = pending | bit


def _take_effect(m: Machine, site: int, number: int) -> None:
    _step(m, site, Op.READ, number)
    handler = m.state.get(("action", number), _DEFAULT)
    if handler == _IGNORE or (handler == _DEFAULT and number in _IGNORED):
        return
    if handler == _DEFAULT and number in _STOPPING:
        _not_modelled(m, site, f"{_name(number)}, which stops or continues the process,")
    if handler == _DEFAULT:
        raise ProgramFault("signal", f"the process is killed by {_name(number)}", site)
    if m.state.get(("once", number)):
        _step(m, site, Op.WRITE, number)
        m.state["action", number] = _DEFAULT
    before = mask_of(m)
    m.state["mask", m.run.current.index] = before | m.state["blocks", number]
    m.call(handler, site, number, 0, 0)
    set_mask(m, site, before)


def mask_of(m: Machine) -> int:
    """The signals that the running thread blocks, a bit for each."""
    found: int = m.state.get(("mask", m.run.current.index), 0)
    return found


def _pending(m: Machine) -> int:
    """The signals that are pending for the running thread."""
    found: int = m.state.get(("pending", m.run.current.index), 0)
    return found


def set_mask(m: Machine, site: int, mask: int) -> None:
    """Let the running thread block these signals; others that are pending take effect."""
    m.state["mask", m.run.current.index] = mask
    while ready := _pending(m) & ~mask:
        bit = ready & -ready
        m.state["pending", m.run.current.index] = _pending(m) & ~bit
        _take_effect(m, site, bit.bit_length())


def _is_known(m: Machine, number: int) -> bool:
    if 0 < number <= _LAST:
        return True
    set_errno(m, _EINVAL)
    return False


def _set_handler(m: Machine, site: int, number: int, handler: int, blocks: int, *, once: bool = False) -> int:
    _step(m, site, Op.RMW, number)
    before: int = m.state.get(("action", number), _DEFAULT)
    m.state["action", number] = handler
    m.state["once", number] = once
    m.state["blocks", number] = blocks
    return before


def _can_be_handled(m: Machine, number: int) -> bool:
    if number in _FIXED:
        set_errno(m, _EINVAL)
    return number not in _FIXED and _is_known(m, number)


def _signal(m: Machine, site: int, number: int, handler: int) -> int:
    return _set_handler(m, site, number, handler, 1 << number - 1) if _can_be_handled(m, number) else _ERROR


def _signal_once(m: Machine, site: int, number: int, handler: int) -> int:
    """``signal`` as System V has it: a handler serves once, and its signal interrupts it."""
    return _set_handler(m, site, number, handler, 0, once=True) if _can_be_handled(m, number) else _ERROR


def _sigaction(m: Machine, site: int, number: int, wanted: int, before: int) -> int:
    if not (_can_be_handled(m, number) if wanted else _is_known(m, number)):
        return -1
    found: int = m.state.get(("action", number), _DEFAULT)
    if wanted:
        handler = int.from_bytes(m.memory.read(wanted, 8, site), "little")
        flags = int.from_bytes(m.memory.read(wanted + _FLAGS_AT, 4, site), "little")
        blocks = int.from_bytes(m.memory.read(wanted + _MASK_AT, 8, site), "little")
        blocks |= 0 if flags & _NESTS else 1 << number - 1
        found = _set_handler(m, site, number, handler, blocks, once=bool(flags & _ONCE))
    else:
        _step(m, site, Op.READ, number)
    if before:
        m.memory.write(before, found.to_bytes(8, "little") + bytes(_SIZE - 8), site)
    return 0


def _raise(m: Machine, site: int, number: int) -> int:
    if not number:
        return 0
    if not _is_known(m, number):
        return -1
    deliver(m, site, number)
    return 0


def _kill(m: Machine, site: int, process: int, number: int) -> int:
    if process not in (0, PROCESS):
        _not_modelled(m, site, "a signal to another process")
    if not number:
        return 0
    if not _is_known(m, number):
        return -1
    handler = m.state.get(("action", number), _DEFAULT)
    if handler not in (_DEFAULT, _IGNORE) and len(m.run.live) > 1:
        _not_modelled(m, site, f"{_name(number)}, which any of the threads may handle,")
    deliver(m, site, number)
    return 0


def _kill_thread(m: Machine, site: int, thread: int, number: int) -> int:
    task = m.threads.ids.get(thread)
    if task is None:
        return _ESRCH
    if not number:
        return 0
    if not 0 < number <= _LAST:
        return _EINVAL
    handler = m.state.get(("action", number), _DEFAULT)
    if task is m.run.current:
        deliver(m, site, number)
        return 0
    if handler not in (_DEFAULT, _IGNORE) or m.state.get(("mask", task.index), 0) >> number - 1 & 1:
        _not_modelled(m, site, f"{_name(number)}, which interrupts another thread,")
    _take_effect(m, site, number)
    return 0


def _mask(m: Machine, site: int, how: int, wanted: int, before: int) -> int:
    """``pthread_sigmask``: 0 blocks more signals, 1 fewer, 2 these."""
    if wanted and how not in (0, 1, 2):
        return _EINVAL
    old = mask_of(m)
    given = int.from_bytes(m.memory.read(wanted, 8, site), "little") if wanted else 0
    if before:
        _give_set(m, site, before, old)
    if wanted:
        set_mask(m, site, {0: old | given, 1: old & ~given}.get(how, given) & ~sum(1 << each - 1 for each in _FIXED))
    return 0


def _process_mask(m: Machine, site: int, how: int, wanted: int, before: int) -> int:
    """``sigprocmask``, which is about the running thread, too."""
    if error := _mask(m, site, how, wanted, before):
        set_errno(m, error)
    return -1 if error else 0


def _give_set(m: Machine, site: int, place: int, signals: int) -> int:
    m.memory.write(place, signals.to_bytes(8, "little") + bytes(_SET_SIZE - 8), site)
    return 0


def _fill_set(value: int) -> Callable[..., int]:
    def function(m: Machine, site: int, place: int) -> int:
        m.memory.write(place, bytes([value]) * _SET_SIZE, site)
        return 0

    return function


def _change_set(change: Callable[[int, int], int]) -> Callable[..., int]:
    def function(m: Machine, site: int, place: int, number: int) -> int:
        if not _is_known(m, number):
            return -1
        old = int.from_bytes(m.memory.read(place, 8, site), "little")
        m.memory.write(place, change(old, 1 << number - 1).to_bytes(8, "little"), site)
        return 0

    return function


def _is_member(m: Machine, site: int, place: int, number: int) -> int:
    if not _is_known(m, number):
        return -1
    return int.from_bytes(m.memory.read(place, 8, site), "little") >> (number - 1) & 1


#: SIGKILL and SIGSTOP, which are neither handled nor blocked.
_FIXED: Final = (9, 19)

#: The number of the process.
PROCESS: Final = 4242

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "signal": _signal,
    "__sysv_signal": _signal_once,
    "sigignore": lambda m, site, number: -int(_signal(m, site, number, _IGNORE) == _ERROR),
    "sigaction": _sigaction,
    "raise": _raise,
    "kill": _kill,
    "pthread_kill": _kill_thread,
    "pthread_sigmask": _mask,
    "sigprocmask": _process_mask,
    "sigpending": lambda m, site, place: _give_set(m, site, place, _pending(m)),
    "sigemptyset": _fill_set(0),
    "sigfillset": _fill_set(255),
    "sigaddset": _change_set(lambda old, bit: old | bit),
    "sigdelset": _change_set(lambda old, bit: old & ~bit),
    "sigismember": _is_member,
    "getpid": lambda m, site: PROCESS,
}
