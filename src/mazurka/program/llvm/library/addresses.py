"""Addresses of the internet: ``arpa/inet.h`` and ``netdb.h``. There is one machine, whose name is localhost, and IPv4.

Source: POSIX.1-2017. No name server is asked, and services have numbers only.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.memory import allocate, free
from mazurka.program.llvm.library.thread_storage import place_of_thread

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_ANY_FAMILY, _INET = 0, 2
_STREAM, _TCP = 1, 6
_PASSIVE: Final = 1
_NO_NAME, _NO_FAMILY, _NO_TYPE, _NO_SERVICE = -2, -6, -7, -8
_LOOPBACK: Final = 0x0100007F

#: The size of a ``struct addrinfo``, the offsets of two of its pointers, and the size of an address.
_SIZE, _ADDRESS_AT, _NEXT_AT, _ADDRESS_SIZE = 48, 24, 40, 16

_MESSAGES: Final = {
    _NO_NAME: b"Name or service not known",
    _NO_FAMILY: b"ai_family not supported",
    _NO_TYPE: b"ai_socktype not supported",
    _NO_SERVICE: b"Servname not supported for ai_socktype",
}


def _swapped(size: int) -> Callable[..., int]:
    """A number in the other order of bytes, as ``htons`` gives it."""
    return lambda m, site, value: int.from_bytes((value & (1 << 8 * size) - 1).to_bytes(size, "little"), "big")


def _dotted(text: bytes) -> int | None:
    """The bytes of an address such as 127.0.0.1, as a number; None if it is none."""
    try:
        return int.from_bytes(socket.inet_pton(socket.AF_INET, text.decode()), "little")
    except (OSError, UnicodeDecodeError):
        return None


def _inet_addr(m: Machine, site: int, place: int) -> int:
    found = _dotted(m.memory.text(place, site))
    return 0xFFFFFFFF if found is None else found


def _inet_ntoa(m: Machine, site: int, address: int) -> int:
    """As in glibc, each thread has a text of its own."""
    place = place_of_thread(m, "inet_ntoa", lambda: ("the text of inet_ntoa", 16, bytes(16)))
    m.memory.write(place, socket.inet_ntoa(address.to_bytes(4, "little")).encode() + b"\0", site)
    return place


def _inet_pton(m: Machine, site: int, domain: int, place: int, to: int) -> int:
    if domain != _INET:
        m.run.stop(f"the run was cut: an address of domain {domain} is not modelled ({m.location(site)})")
    found = _dotted(m.memory.text(place, site))
    if found is not None:
        m.memory.store(to, 4, found, site)
    return int(found is not None)


def _getaddrinfo(m: Machine, site: int, name: int, service: int, hints: int, place: int) -> int:
    """One address for a stream socket."""
    given = m.memory.read(hints, 16, site) if hints else bytes(16)
    flags, family, kind, protocol = (int.from_bytes(given[at : at + 4], "little") for at in (0, 4, 8, 12))
    if family not in (_ANY_FAMILY, _INET):
        return _NO_FAMILY
    if kind not in (0, _STREAM):
        return _NO_TYPE
    port = m.memory.text(service, site) if service else b"0"
    if not port.isdigit():
        return _NO_SERVICE
    number: int | None = 0 if flags & _PASSIVE else _LOOPBACK
    if name:
        text = m.memory.text(name, site)
        number = _LOOPBACK if text == b"localhost" else _dotted(text)
    if number is None:
        return _NO_NAME
    address = _INET.to_bytes(2, "little") + (int(port) & 0xFFFF).to_bytes(2, "big") + number.to_bytes(4, "little")
    at = allocate(m, site, _ADDRESS_SIZE, address.ljust(_ADDRESS_SIZE, b"\0"))
    parts = (flags, _INET, _STREAM, protocol or _TCP, _ADDRESS_SIZE, 0)
    content = b"".join(each.to_bytes(4, "little") for each in parts) + at.to_bytes(8, "little")
    m.memory.store(place, 8, allocate(m, site, _SIZE, content.ljust(_SIZE, b"\0")), site)
    return 0


def _freeaddrinfo(m: Machine, site: int, place: int) -> None:
    while place:
        address, following = (m.memory.load(place + at, 8, site) for at in (_ADDRESS_AT, _NEXT_AT))
        free(m, site, address)
        free(m, site, place)
        place = following


def _message(m: Machine, _site: int, error: int) -> int:
    """``gai_strerror``."""
    text = _MESSAGES.get(error - (1 << 32) if error >> 31 else error, b"Unknown error") + b"\0"
    return m.memory.allocate(len(text), "constant", "message", text).address


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("htons", "ntohs"), _swapped(2)),
    **dict.fromkeys(("htonl", "ntohl"), _swapped(4)),
    "inet_ntoa": _inet_ntoa,
    "inet_addr": _inet_addr,
    "inet_pton": _inet_pton,
    "getaddrinfo": _getaddrinfo,
    "freeaddrinfo": _freeaddrinfo,
    "gai_strerror": _message,
}
