"""Descriptors of all kinds: copies, flags, several buffers at once, and waiting for several (``poll``, ``select``).

Source: POSIX.1-2017. Files and the standard streams are always ready.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.channels import Listening, States, address_name, change, has_room, sent, state_of
from mazurka.program.llvm.library.files import has_ended, read, stream_of, written
from mazurka.program.llvm.library.open_files import NONBLOCKING, OpenFile, failed, files_of, offset_of
from mazurka.program.llvm.unknown_bytes import SymbolicBytes, joined

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EBADF, _EINVAL, _ENOTTY = 9, 22, 25
_IN, _OUT, _ERROR, _HUNG_UP, _INVALID = 1, 4, 8, 16, 32
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
_F_GETLK, _F_SETLK, _F_SETLKW, _F_UNLCK = 5, 6, 7, 2
_FIONBIO: Final = 0x5421

#: The flag of ``dup3``, and the numbers that descriptors may have.
_CLOSE_ON_EXEC: Final = 0o2000000
_MOST: Final = 1024

#: The bits of an ``fd_set``.
_SET_BITS: Final = 1024


def _is_standard(m: Machine, number: int) -> bool:
    return number in (0, 1, 2) and number not in files_of(m).open


def _copied(m: Machine, site: int, number: int) -> OpenFile | None:
    """The open file that a descriptor gets one more of."""
    files = files_of(m)
    if _is_standard(m, number):
        return files.standard(number)
    opened = files.open.get(number)
    if opened is not None:
        files.step(site, *offset_of(opened)[:2])
        opened = files.open.get(number)
    if opened is None:
        failed(m, files.missing(number))
    return opened


def _dup(m: Machine, site: int, number: int, least: int = 0) -> int:
    if least >= _MOST:
        return failed(m, _EINVAL)
    opened = _copied(m, site, number)
    return -1 if opened is None else files_of(m).add(opened, least)


def _dup2(m: Machine, site: int, number: int, to: int) -> int:
    opened = _copied(m, site, number)
    if opened is None:
        return -1
    if to >= _MOST:
        return failed(m, _EBADF)
    if to in (0, 1, 2) and not (opened.is_standard and (number == to or opened.flags and to)):
        m.run.stop(f"the run was cut: redirecting standard streams is not modelled ({m.location(site)})")
    if to > 2 and number != to:
        _replace(m, site, to, opened)
    return to


def _replace(m: Machine, site: int, number: int, opened: OpenFile) -> None:
    """Let a descriptor be of an open file from now on, in one step with the end of its use for another one."""
    files = files_of(m)
    if number in files.open:
        files.step(site, *offset_of(files.open[number])[:2])
    before = files.open.get(number)
    files.open[number] = opened
    if before is not None:
        has_ended(m, site, before)


def _dup3(m: Machine, site: int, number: int, to: int, flags: int) -> int:
    if number == to or flags & ~_CLOSE_ON_EXEC:
        return failed(m, _EINVAL)
    return _dup2(m, site, number, to)


def _fcntl(m: Machine, site: int, number: int, command: int, value: int = 0) -> int:
    if command in (_F_DUPFD, _F_DUPFD_CLOEXEC):
        return _dup(m, site, number, value)
    if _is_standard(m, number):
        return 0
    files = files_of(m)
    opened = files.use(site, number)
    if opened is None:
        return -1
    if command in (_F_GETFD, _F_SETFD):
        return 0
    if command == _F_GETFL:
        return opened.flags
    if command in (_F_SETLK, _F_SETLKW):  # locks of files are those of a process, and there is one
        return 0
    if command == _F_GETLK:
        m.memory.store(value, 2, _F_UNLCK, site)
        return 0
    if command != _F_SETFL:
        m.run.stop(f"the run was cut: fcntl() with command {command} is not modelled ({m.location(site)})")
    files.step(site, *offset_of(opened)[:2])
    opened.flags = opened.flags & ~NONBLOCKING | value & NONBLOCKING
    return 0


def _ioctl(m: Machine, site: int, number: int, request: int, place: int = 0) -> int:
    if request != _FIONBIO:
        return failed(m, _ENOTTY)
    wanted = int.from_bytes(m.memory.read(place, 4, site), "little")
    return _fcntl(m, site, number, _F_SETFL, NONBLOCKING if wanted else 0)


def _fdopen(m: Machine, site: int, number: int, _mode: int) -> int:
    files = files_of(m)
    opened = files.use(site, number)
    if opened is None:
        return 0
    stream = stream_of(m, opened)
    files.descriptors[stream] = number
    return stream


def _parts(m: Machine, site: int, vector: int, count: int) -> list[tuple[int, int]]:
    """The addresses and sizes of an array of ``struct iovec``."""
    raw = m.memory.read(vector, 16 * count, site)
    numbers = [int.from_bytes(raw[at : at + 8], "little") for at in range(0, len(raw), 8)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _writev(m: Machine, site: int, number: int, vector: int, count: int) -> int:
    return written(m, site, number, _gathered(m, site, vector, count))


def _gathered(m: Machine, site: int, vector: int, count: int) -> SymbolicBytes:
    return joined(m.memory.take(address, size, site) for address, size in _parts(m, site, vector, count))


def _sendmsg(m: Machine, site: int, number: int, message: int, flags: int) -> int:
    """``sendmsg`` to the other end of a connection, without control data."""
    raw = m.memory.read(message, 56, site, initialised=False)
    vector, count, control = (int.from_bytes(raw[at : at + 8], "little") for at in (16, 24, 40))
    if control:
        m.run.stop(f"the run was cut: a message with control data is not modelled ({m.location(site)})")
    return sent(m, site, number, _gathered(m, site, vector, count), flags)


def _readv(m: Machine, site: int, number: int, vector: int, count: int) -> int:
    parts = _parts(m, site, vector, count)
    found = read(m, site, number, sum(size for _, size in parts))
    if isinstance(found, int):
        return failed(m, found)
    at = 0
    for address, size in parts:
        m.memory.write(address, found[at : at + size], site)
        at += size
    return len(found)


# -- waiting for several ----------------------------------------------------------------------------------------------


def _ready(m: Machine, states: States, number: int, wanted: int) -> int:
    """The events of a descriptor that have come: of those that are wanted, and errors."""
    if _is_standard(m, number):
        return wanted & (_IN | _OUT)
    opened = files_of(m).open.get(number)
    if opened is None:
        return _INVALID
    connection = opened.connection
    if connection is None:
        return wanted & (_IN | _OUT)
    if connection.listens:
        listening = states.get(address_name(connection.address))
        return wanted & _IN if isinstance(listening, Listening) and listening.waiting else 0
    found = 0
    if connection.incoming:
        incoming = state_of(states, connection.incoming)
        found |= _IN if incoming.content or (connection.domain and not incoming.has_writer) else 0
        found |= 0 if incoming.has_writer else _HUNG_UP if not connection.domain else 0
    if connection.outgoing:
        outgoing = state_of(states, connection.outgoing)
        found |= _OUT if has_room(outgoing) or not outgoing.has_reader else 0
        found |= 0 if outgoing.has_reader else _ERROR if not connection.domain else 0
    return found & (wanted | _ERROR | _HUNG_UP)


def _wait_for(m: Machine, site: int, asked: Sequence[tuple[int, int]], seconds: float | None) -> list[int]:
    """Wait until some descriptor is ready, at most so long; returns the events of each."""
    for number, _ in asked:
        if number in files_of(m).open:
            files_of(m).use(site, number)
    last: list[int] = []

    def act(states: States) -> list[int] | None:
        last[:] = [_ready(m, states, *each) for each in asked]
        return last if any(last) else None

    change(m, site, "", act, waits=seconds != 0, timeout=seconds)
    return last


def _poll(m: Machine, site: int, places: int, count: int, milliseconds: int) -> int:
    raw = m.memory.read(places, 8 * count, site, initialised=False)
    asked = [
        (int.from_bytes(raw[at : at + 4], "little", signed=True), int.from_bytes(raw[at + 4 : at + 6], "little"))
        for at in range(0, len(raw), 8)
    ]
    used = [(index, each) for index, each in enumerate(asked) if each[0] >= 0]
    found = _wait_for(m, site, [each for _, each in used], None if milliseconds >> 31 else milliseconds / 1000)
    for (index, _), events in zip(used, found, strict=True):
        m.memory.store(places + 8 * index + 6, 2, events, site)
    return sum(map(bool, found))


def _select(m: Machine, site: int, count: int, *given: int) -> int:
    """``select``: sets of descriptors to read from and to write to; errors come to none."""
    *sets, limit = given
    seconds = None
    if limit:
        raw = m.memory.read(limit, 16, site)
        seconds = int.from_bytes(raw[:8], "little") + int.from_bytes(raw[8:], "little") / 1e6
    if count > _SET_BITS:
        return failed(m, _EINVAL)
    bits = [int.from_bytes(m.memory.read(each, _SET_BITS // 8, site), "little") if each else 0 for each in sets]
    asked = [
        (number, (_IN if bits[0] >> number & 1 else 0) | (_OUT if bits[1] >> number & 1 else 0))
        for number in range(count)
        if (bits[0] | bits[1]) >> number & 1
    ]
    found = _wait_for(m, site, asked, seconds)
    if any(events & _INVALID for events in found):
        return failed(m, _EBADF)
    for index, wanted, events in ((0, _IN, _IN | _HUNG_UP), (1, _OUT, _OUT | _ERROR)):
        ready = [number for (number, each), got in zip(asked, found, strict=True) if each & wanted and got & events]
        bits[index] = sum(1 << number for number in ready)
    for place, value in zip(sets, (*bits[:2], 0), strict=True):
        if place:
            m.memory.write(place, value.to_bytes(_SET_BITS // 8, "little"), site)
    return sum(each.bit_count() for each in bits[:2])


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "dup": _dup,
    "dup2": _dup2,
    "dup3": _dup3,
    **dict.fromkeys(("fcntl", "fcntl64"), _fcntl),
    "ioctl": _ioctl,
    "fdopen": _fdopen,
    "isatty": lambda m, site, number: failed(m, _ENOTTY) + 1,
    "writev": _writev,
    "readv": _readv,
    "sendmsg": _sendmsg,
    "poll": _poll,
    "select": _select,
}
