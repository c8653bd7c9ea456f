"""Pipes and sockets: ``pipe``, ``socketpair``, and stream sockets of the local machine, within the program.

Source: POSIX.1-2017; pipe(7), socket(7) and unix(7) of Linux. A direction of a connection is a channel: its bytes, and
whether its two ends are open. A channel is a :class:`~mazurka.program.llvm.library.primitives.Composite`, so that its
operations are steps of a mutex, a condition variable and a state; in programs that wait for several descriptors
(``poll``, ``select``) all channels are parts of one.

A read gives all bytes that have come, up to its size: for sockets that is an assumption, which verdicts name. A
connection is made as soon as the other side listens. Writes wait for room for 64 KiB. Datagrams, options of sockets
other than those that change no outcome, and connections to other machines cut the execution.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mazurka.program.llvm.library.cancellation import wait_for_change
from mazurka.program.llvm.library.open_files import (
    NONBLOCKING,
    Connection,
    FileNode,
    OpenFile,
    entry_of,
    failed,
    files_of,
    number_of,
)
from mazurka.program.llvm.library.primitives import Composite
from mazurka.program.llvm.library.signals import SIGPIPE, deliver
from mazurka.program.llvm.unknown_bytes import SymbolicBytes
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_ENOENT, _EAGAIN, _EINVAL, _EPIPE, _ENOTSOCK = 2, 11, 22, 32, 88
_EADDRINUSE, _EISCONN, _ENOTCONN, _ECONNREFUSED = 98, 106, 107, 111
_UNIX, _INET, _STREAM = 1, 2, 1
_LOOPBACK: Final = bytes([127, 0, 0, 1])
_PEEK, _DO_NOT_WAIT, _NO_SIGNAL = 2, 0x40, 0x4000

#: The bytes that a channel holds, and the most that are written in one piece.
_ROOM: Final = 65536
_PIECE: Final = 4096

#: Functions that wait for several channels.
_WAITERS: Final = ("poll", "select")

CAPACITY: Final = "a pipe or socket holds 64 KiB, however they were written"
NOTHING_LOST: Final = "a read or write of a pipe or socket that is cancelled has moved no bytes since it last waited"
WHOLE: Final = "a read of a socket gives all bytes that have been sent, up to its size"


class Bytes(NamedTuple):
    """The state of a channel."""

    content: SymbolicBytes = SymbolicBytes()
    has_reader: bool = True
    has_writer: bool = True


class Listening(NamedTuple):
    """The state of an address. ``most`` is None as long as the socket there does not listen; ``waiting`` are the
    connections that it has not accepted."""

    most: int | None = None
    waiting: tuple[str, ...] = ()


States = dict[str, Any]


class _Channels(Composite):
    """A channel, or several as one."""

    __slots__ = ()

    def _value(self) -> tuple[str, ...]:
        if not any(each.content.unknown for _, each in self.state if isinstance(each, Bytes)):
            return super()._value()
        terms = [
            (name, (each.content.in_terms(), *each[1:]) if isinstance(each, Bytes) else each)
            for name, each in self.state
        ]
        return ("symbolic", repr(self.state), repr(terms))


def _part(m: Machine, name: str) -> Composite:
    parts: dict[str, Composite] = m.state.setdefault("channels", {})
    name = "pipes and sockets" if any(each in m.module.functions for each in _WAITERS) else name
    if name not in parts:
        parts[name] = _Channels(name)
    return parts[name]


def change(
    m: Machine,
    site: int,
    name: str,
    act: Callable[[States], Any],
    *,
    waits: bool,
    timeout: float | None = None,
) -> Any:
    """Change the states of a channel by ``act``, which gives a result, or None: then it is done again after another
    change, if the thread ``waits``. Returns the result; None if there is none."""
    part, threads, run = _part(m, name), m.threads, m.run
    if m.memory.section.depth:
        _cut(m, site, "a pipe or socket in an atomic section")
    threads.lock(part.mutex, site)
    while True:
        states = dict(part.read(run, site))
        result = act(states)
        after = tuple(sorted(states.items()))
        if after != part.state:
            part.write(run, site, after)
            threads.signal(part.condition, site, all_=True)
        if result is not None or not waits:
            break
        if m.cancels:
            run.assumed.add(NOTHING_LOST)
        if wait_for_change(m, site, part, timeout):
            waits = False  # the time is over: look once more
    threads.unlock(part.mutex, site)
    return result


def state_of(states: States, name: str) -> Bytes:
    """The state of a channel."""
    found: Bytes = states.get(name, Bytes())
    return found


def end(m: Machine, site: int, connection: Connection) -> None:
    """The last descriptor of a pipe or socket is closed."""
    if connection.address:
        name = address_name(connection.address)
        ended = change(m, site, name, lambda states: states.pop(name, Listening()), waits=False)
        if ended.waiting:
            _cut(m, site, "closing a socket that has not accepted all connections")
    _shut(m, site, connection, reading=True, writing=True)


def _shut(m: Machine, site: int, connection: Connection, *, reading: bool, writing: bool) -> None:
    """End one direction, or both."""
    incoming, outgoing = connection.incoming, connection.outgoing
    if reading and incoming:
        left = change(m, site, incoming, lambda states: _end_reading(states, incoming), waits=False)
        if left and connection.domain:
            _cut(m, site, "closing a socket before all bytes are read, by which the other side is reset,")
    if writing and outgoing:
        change(m, site, outgoing, lambda states: _end_writing(states, outgoing), waits=False)


def has_room(channel: Bytes) -> bool:
    """Whether a write of one piece to it would not wait."""
    return len(channel.content) + _PIECE <= _ROOM


def _end_reading(states: States, name: str) -> SymbolicBytes:
    """Close a channel's reading end; returns the bytes that have not been read."""
    states[name] = state_of(states, name)._replace(has_reader=False)
    return state_of(states, name).content


def _end_writing(states: States, name: str) -> bool:
    states[name] = state_of(states, name)._replace(has_writer=False)
    return True


def _cut(m: Machine, site: int, words: str) -> None:
    m.run.stop(f"the run was cut: {words} is not modelled ({m.location(site)})")


# -- reading and writing ----------------------------------------------------------------------------------------------


def receive(m: Machine, site: int, opened: OpenFile, size: int, flags: int = 0) -> SymbolicBytes | int:
    """Read bytes, none at the end; or the number of an error."""
    connection = opened.connection
    assert connection is not None
    name = connection.incoming
    if not name:
        return _ENOTCONN if connection.domain else 9
    if connection.domain:
        m.run.assumed.add(WHOLE)

    def act(states: States) -> SymbolicBytes | None:
        channel = state_of(states, name)
        if not channel.has_reader or not size:
            return SymbolicBytes()
        found = channel.content[:size]
        if found and not flags & _PEEK:
            states[name] = channel._replace(content=channel.content[size:])
        return found if found or not channel.has_writer else None

    found: SymbolicBytes | None = change(
        m, site, name, act, waits=not (opened.flags & NONBLOCKING or flags & _DO_NOT_WAIT)
    )
    return _EAGAIN if found is None else found


def send(m: Machine, site: int, opened: OpenFile, content: SymbolicBytes, flags: int = 0) -> int:
    """Write bytes; returns how many, or the negative number of an error."""
    connection = opened.connection
    assert connection is not None
    name = connection.outgoing
    if not name:
        return -_ENOTCONN if connection.domain else -9
    waits = not (opened.flags & NONBLOCKING or flags & _DO_NOT_WAIT)
    done, is_broken = 0, False

    def act(states: States) -> int | None:
        nonlocal done, is_broken
        channel = state_of(states, name)
        if not (channel.has_reader and channel.has_writer):
            is_broken = True
            return done or -_EPIPE
        room = _ROOM - len(channel.content)
        if room < len(content) - done:
            m.run.assumed.add(CAPACITY)
        if room < min(len(content), _PIECE) and len(content) <= _PIECE:
            return None
        piece = content[done : done + room]
        if piece:
            states[name] = channel._replace(content=channel.content + piece)
        done += len(piece)
        return done if done == len(content) or done and not waits else None

    result = change(m, site, name, act, waits=waits)
    if result is None:
        return -_EAGAIN
    if is_broken and connection.domain == _INET:
        _cut(m, site, "sending to a closed connection, which fails sooner or later,")
    if is_broken and not flags & _NO_SIGNAL:
        deliver(m, site, SIGPIPE)
    return int(result)


# -- pipes and connections --------------------------------------------------------------------------------------------


def _number(m: Machine) -> str:
    task = m.run.current
    count = m.state["connections", task.index] = m.state.get(("connections", task.index), 0) + 1
    return f"{task.name}#{count}"


def opened_with(m: Machine, name: str, flags: int, connection: Connection) -> int:
    """A descriptor for a connection."""
    return files_of(m).add(OpenFile(name, FileNode(None, 0), flags, name, connection))


def _store_two(m: Machine, site: int, place: int, one: int, other: int) -> int:
    m.memory.store(place, 4, one, site)
    m.memory.store(place + 4, 4, other, site)
    return 0


def _pipe(m: Machine, site: int, place: int, flags: int = 0) -> int:
    name = f"pipe {_number(m)}"
    one = opened_with(m, f"reading end of {name}", flags & NONBLOCKING, Connection(incoming=name))
    other = opened_with(m, f"writing end of {name}", flags & NONBLOCKING | 1, Connection(outgoing=name))
    return _store_two(m, site, place, one, other)


def _is_stream(m: Machine, site: int, domain: int, kind: int) -> bool:
    if domain in (_UNIX, _INET) and kind & 0xF == _STREAM:
        return True
    _cut(m, site, f"a socket of domain {domain} and type {kind & 0xF}")
    return False


def _connection(name: str, domain: int, *, is_first: bool) -> Connection:
    there, back = f"{name}, to the server", f"{name}, to the client"
    return Connection(*((back, there) if is_first else (there, back)), domain)


def _socketpair(m: Machine, site: int, domain: int, kind: int, _protocol: int, place: int) -> int:
    if not _is_stream(m, site, domain, kind):
        return -1
    name, flags = f"connection {_number(m)}", kind & NONBLOCKING | 2
    one = opened_with(m, f"first end of {name}", flags, _connection(name, domain, is_first=True))
    other = opened_with(m, f"second end of {name}", flags, _connection(name, domain, is_first=False))
    return _store_two(m, site, place, one, other)


def _socket(m: Machine, site: int, domain: int, kind: int, _protocol: int) -> int:
    if not _is_stream(m, site, domain, kind):
        return -1
    name = f"socket {_number(m)}"
    return opened_with(m, name, kind & NONBLOCKING | 2, Connection(domain=domain))


def socket_of(m: Machine, site: int, number: int) -> OpenFile | None:
    """The open socket of a descriptor, whose use is a step; None, and ``errno``, if there is none."""
    opened = files_of(m).use(site, number)
    if opened is not None and (opened.connection is None or not opened.connection.domain):
        failed(m, _ENOTSOCK)
        return None
    return opened


def _connection_of(m: Machine, site: int, number: int) -> Connection | None:
    """The connection of such a socket."""
    opened = socket_of(m, site, number)
    return None if opened is None else opened.connection


def _read_address(m: Machine, site: int, place: int, size: int) -> bytes:
    address = m.memory.read(place, size, site, initialised=False)
    if int.from_bytes(address[:2], "little") == _UNIX and not address[2:].partition(b"\0")[0]:
        _cut(m, site, "a socket's address without a path")
    return address


def _path(address: bytes) -> str:
    """The file of an address of the domain UNIX."""
    return os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(address[2:].split(b"\0")[0])))


def address_name(address: bytes) -> str:
    """The name of an address: a path, or a port of this machine."""
    if int.from_bytes(address[:2], "little") == _UNIX:
        return f"address {_path(address)}"
    return f"port {int.from_bytes(address[2:4], 'big')}"


def _bind(m: Machine, site: int, number: int, place: int, size: int) -> int:
    opened = socket_of(m, site, number)
    if opened is None:
        return -1
    assert opened.connection is not None
    address = _read_address(m, site, place, size)
    if opened.connection.domain == _INET and address[2:4] == bytes(2):
        address = address[:2] + _free_port(opened.name) + address[4:]
    error = _take_address(m, site, address)
    if error:
        return failed(m, error)
    opened.connection.address = address
    return 0


def _take_address(m: Machine, site: int, address: bytes) -> int:
    """Take an address for a socket; returns the number of an error. One of the domain UNIX is a file."""
    name = address_name(address)
    if int.from_bytes(address[:2], "little") == _UNIX:
        files, path = files_of(m), _path(address)
        files.step(site, Op.RMW, entry_of(path))
        if files.find(path) is not None:
            return _EADDRINUSE
        node = files.nodes[path] = FileNode(b"", number_of(path))
        node.mode = stat.S_IFSOCK | 0o755

    def act(states: States) -> int:
        if name in states:
            return _EADDRINUSE
        states[name] = Listening()
        return 0

    error: int = change(m, site, name, act, waits=False)
    if error and int.from_bytes(address[:2], "little") == _UNIX:
        _cut(m, site, "a second socket at the path of one that is open")
    return error


def _listen(m: Machine, site: int, number: int, most: int) -> int:
    connection = _connection_of(m, site, number)
    if connection is None:
        return -1
    if not connection.address:
        return failed(m, _EINVAL)
    name = address_name(connection.address)

    def act(states: States) -> int:
        states[name] = states[name]._replace(most=max(most, 1))
        return 0

    change(m, site, name, act, waits=False)
    connection.listens = True
    return 0


def _connect(m: Machine, site: int, number: int, place: int, size: int) -> int:
    opened = socket_of(m, site, number)
    if opened is None:
        return -1
    connection = opened.connection
    assert connection is not None
    if connection.incoming:
        return failed(m, _EISCONN)
    address = _read_address(m, site, place, size)
    if int.from_bytes(address[:2], "little") == _INET and address[4] not in (0, 127):
        _cut(m, site, "a connection to another machine")
    if connection.domain == _UNIX:
        files, path = files_of(m), _path(address)
        files.step(site, Op.READ, entry_of(path))
        if files.find(path) is None:
            return failed(m, _ENOENT)
    name, made = address_name(address), f"connection {_number(m)}"
    own = m.state["address", made] = _address_of_client(connection, made)

    def act(states: States) -> int | None:
        listening = states.get(name, Listening())
        if listening.most is None:
            return _ECONNREFUSED
        if len(listening.waiting) > listening.most:
            return None
        states[name] = listening._replace(waiting=(*listening.waiting, made))
        return 0

    error = change(m, site, name, act, waits=not opened.flags & NONBLOCKING)
    if error is None:
        return failed(m, _EAGAIN)
    if error:
        return failed(m, error)
    both = _connection(made, connection.domain, is_first=True)
    connection.incoming, connection.outgoing = both.incoming, both.outgoing
    connection.own, connection.peer = own, _definite(address)
    return 0


def _definite(address: bytes) -> bytes:
    """An address of this machine, where it may be any of them."""
    is_any = int.from_bytes(address[:2], "little") == _INET and address[4:8] == bytes(4)
    return address[:4] + _LOOPBACK + address[8:] if is_any else address


def _address_of_client(connection: Connection, name: str) -> bytes:
    """The address of a connected socket: the one that it is bound to, or one that the system has chosen."""
    if connection.address:
        return _definite(connection.address)
    family = connection.domain.to_bytes(2, "little")
    return family if connection.domain == _UNIX else family + _free_port(name) + _LOOPBACK + bytes(8)


def _free_port(name: str) -> bytes:
    """A port that the system chooses for a socket of a name."""
    return (32768 + sum(map(ord, name)) % 20000).to_bytes(2, "big")


def _accept(m: Machine, site: int, number: int, place: int, size: int, flags: int = 0) -> int:
    opened = socket_of(m, site, number)
    if opened is None:
        return -1
    connection = opened.connection
    assert connection is not None
    if not connection.listens:
        return failed(m, _EINVAL)
    name = address_name(connection.address)

    def act(states: States) -> str | None:
        listening = states[name]
        if not listening.waiting:
            return None
        states[name] = listening._replace(waiting=listening.waiting[1:])
        return str(listening.waiting[0])

    made = change(m, site, name, act, waits=not opened.flags & NONBLOCKING)
    if not isinstance(made, str):
        return failed(m, _EAGAIN)
    accepted = _connection(made, connection.domain, is_first=False)
    accepted.own, accepted.peer = _definite(connection.address), m.state["address", made]
    if place:
        _give_address(m, site, place, size, accepted.peer)
    return opened_with(m, f"accepted {made}", flags & NONBLOCKING | 2, accepted)


def _give_address(m: Machine, site: int, place: int, size: int, address: bytes) -> int:
    most = int.from_bytes(m.memory.read(size, 4, site), "little")
    m.memory.write(place, address[:most], site)
    m.memory.store(size, 4, len(address), site)
    return 0


def _own_name(m: Machine, site: int, number: int, place: int, size: int) -> int:
    connection = _connection_of(m, site, number)
    if connection is None:
        return -1
    family = connection.domain.to_bytes(2, "little")
    unbound = family if connection.domain == _UNIX else family + bytes(14)
    return _give_address(m, site, place, size, connection.own or connection.address or unbound)


def _name_of_peer(m: Machine, site: int, number: int, place: int, size: int) -> int:
    connection = _connection_of(m, site, number)
    if connection is None:
        return -1
    if not connection.incoming:
        return failed(m, _ENOTCONN)
    return _give_address(m, site, place, size, connection.peer or connection.domain.to_bytes(2, "little"))


def _shutdown(m: Machine, site: int, number: int, how: int) -> int:
    connection = _connection_of(m, site, number)
    if connection is None:
        return -1
    if not connection.incoming:
        return failed(m, _ENOTCONN)
    if not how:
        _cut(m, site, "ending only the reading direction of a socket")
    _shut(m, site, connection, reading=how in (0, 2), writing=how in (1, 2))
    return 0


def _flags_known(m: Machine, site: int, flags: int) -> None:
    if flags & ~(_PEEK | _DO_NOT_WAIT | _NO_SIGNAL):
        _cut(m, site, f"a socket's operation with flags {flags:#x}")


def _receive(m: Machine, site: int, number: int, to: int, size: int, flags: int, *_from: int) -> int:
    opened = socket_of(m, site, number)
    if opened is None:
        return -1
    _flags_known(m, site, flags)
    found = receive(m, site, opened, size, flags)
    if isinstance(found, int):
        return failed(m, found)
    m.memory.write(to, found, site)
    return len(found)


def _send(m: Machine, site: int, number: int, source: int, size: int, flags: int, *_to: int) -> int:
    return sent(m, site, number, m.memory.take(source, size, site), flags)


def sent(m: Machine, site: int, number: int, content: SymbolicBytes, flags: int) -> int:
    """``send``."""
    opened = socket_of(m, site, number)
    if opened is None:
        return -1
    _flags_known(m, site, flags)
    count = send(m, site, opened, content, flags)
    return failed(m, -count) if count < 0 else count


def _option(m: Machine, site: int, number: int, *_option: int) -> int:
    """Options that change no outcome here, as ``SO_REUSEADDR`` and ``TCP_NODELAY``."""
    level, name = _option[:2]
    if (level, name) in ((1, 20), (1, 21)):
        _cut(m, site, "a time limit of a socket")
    return -1 if socket_of(m, site, number) is None else 0


def _option_value(m: Machine, site: int, number: int, level: int, name: int, place: int, size: int) -> int:
    """``getsockopt``: no error is kept, and all sockets are streams."""
    if socket_of(m, site, number) is None:
        return -1
    if (level, name) not in _OPTIONS:
        _cut(m, site, f"option {name} of a socket")
    m.memory.store(place, 4, _OPTIONS.get((level, name), 0), site)
    m.memory.store(size, 4, 4, site)
    return 0


#: The values of ``SO_TYPE`` and ``SO_ERROR``.
_OPTIONS: Final = {(1, 3): 1, (1, 4): 0}

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "pipe": _pipe,
    "pipe2": _pipe,
    "socketpair": _socketpair,
    "socket": _socket,
    "bind": _bind,
    "listen": _listen,
    "connect": _connect,
    "accept": _accept,
    "accept4": _accept,
    "getsockname": _own_name,
    "getpeername": _name_of_peer,
    "shutdown": _shutdown,
    **dict.fromkeys(("recv", "recvfrom"), _receive),
    **dict.fromkeys(("send", "sendto"), _send),
    "setsockopt": _option,
    "getsockopt": _option_value,
}
