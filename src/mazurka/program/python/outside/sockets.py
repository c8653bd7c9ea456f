"""Sockets between threads of the program: on loopback, of the Unix kind, and pairs. See :mod:`.channels`.

Operations that leave the process (a connection to an address at which no socket of the program listens) are done for
real and counted as uncontrolled.
"""

from __future__ import annotations

import _socket
import os
import socket
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mazurka.program.python.outside import channels, descriptor_numbers
from mazurka.program.python.outside.channels import Channel, End, of_run, touch
from mazurka.program.python.outside.files import JOURNAL, keep
from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.replacing import ASIDE, replace_function, replace_method
from mazurka.program.python.primitives.run import Models, count_uncontrolled
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Target

_Real: Final[Any] = _socket.socket
_LOCAL: Final = frozenset({"", "localhost", "0.0.0.0", "::", "::1"})  # names that are looked up, but not bound to
_DO_NOT_WAIT: Final = getattr(socket, "MSG_DONTWAIT", 0)
_PEEK: Final = socket.MSG_PEEK


def _end_of(models: Models, thing: Any) -> End | None:
    return of_run(models).by_descriptor.get(_Real.fileno(thing))


def _counted(models: Models, thing: Any, name: str, perform: Callable[[], Any]) -> Any:
    if _Real.fileno(thing) >= 0:  # a closed socket refuses everything, which depends on its state alone
        count_uncontrolled(models.runtime, f"socket.socket.{name}")
    return perform()


def _adopt(models: Models, thing: Any, end: End) -> None:
    end.owner = weakref.ref(thing)
    of_run(models).add(_Real.fileno(thing), end)


def _key(thing: Any, address: Any) -> Any:
    """The key of an address; None if it leads out of this machine."""
    if thing.family in (socket.AF_INET, socket.AF_INET6):
        host, port = address[0], address[1]
        is_local = host in _LOCAL or host.startswith("127.")
        return (int(thing.type), port) if is_local else None
    if thing.family == getattr(socket, "AF_UNIX", None):
        name = address if isinstance(address, bytes) else os.fsencode(address)
        return (int(thing.type), name if name[:1] == b"\0" else os.path.abspath(name))
    return None


def _is_stream(thing: Any) -> bool:
    return bool(thing.type == socket.SOCK_STREAM)


# -- making ----------------------------------------------------------------------------


def _init(models: Models, real: Any, self: Any, *args: Any, **named: Any) -> None:
    fileno = args[3] if len(args) > 3 else named.get("fileno")
    pass_step(models, read(*place("default socket timeout")), *descriptor_numbers.uses(models, fileno))
    real(self, *args, **named)
    ends = of_run(models)
    end = ends.by_descriptor.get(_Real.fileno(self))
    if end is None and fileno is None:
        end = End()
    if end is not None:
        _adopt(models, self, end)


def _pair(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    descriptor_numbers.changing(models)
    with ASIDE:
        a, b = real(*args, **named)
    there, back = Channel(models, "the stream"), Channel(models, "the stream")
    _adopt(models, a, End(back, there))
    _adopt(models, b, End(there, back))
    return a, b


def _bind(models: Models, real: Any, self: Any, address: Any) -> None:
    end = _end_of(models, self)
    is_path = self.family == getattr(socket, "AF_UNIX", None) and address and address[:1] not in ("\0", b"\0")
    if is_path:
        path = os.path.abspath(os.fsdecode(address))
        keep(models, path, lambda: JOURNAL.creating(path))
    elif end is not None and _is_stream(self):
        # A socket that an earlier execution has closed keeps the address for a while.
        _Real.setsockopt(self, socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    real(self, address)
    if is_path:
        with ASIDE:
            JOURNAL.created(path)
    if end is not None and _is_stream(self):
        end.address = _key(self, _Real.getsockname(self))
    elif end is not None:
        _has_address(models, self, end)


def _has_address(models: Models, thing: Any, end: End) -> None:
    """A socket for messages is bound to an address, explicitly or by its first use: other sockets may send to it."""
    address = _Real.getsockname(thing)
    if address and end.gets is None:
        end.address, end.gets = _key(thing, address), Channel(models, "the messages to")
        of_run(models).by_address[end.address] = end


def _listen(models: Models, real: Any, self: Any, *backlog: int) -> None:
    real(self, *backlog)
    end = _end_of(models, self)
    if end is None:
        return
    end.address = _key(self, _Real.getsockname(self))
    end.gets = end.gets or Channel(models, "the connections to")
    of_run(models).by_address[end.address] = end
    touch(models, Op.RMW, end.gets)


def _connecting(name: str) -> Callable[..., Any]:
    def connect(models: Models, real: Any, self: Any, address: Any) -> Any:
        ends, end = of_run(models), _end_of(models, self)
        key = _key(self, address)
        listener = ends.by_address.get(key) if key is not None else None
        if end is None or not _is_stream(self) or listener is None or listener.gets is None:
            pass_step(models, change(*_state(self)))
            if end is None or _is_stream(self):
                return _counted(models, self, name, lambda: real(self, address))
            end.peer = key
            done = real(self, address)
            _has_address(models, self, end)
            return done
        touch(models, Op.RMW, listener.gets, also=[change(*_state(self))])
        try:
            done = real(self, address)
        except BlockingIOError:
            _connected(models, end, key, listener)
            raise
        _connected(models, end, key, listener)
        return done

    return connect


def _connected(models: Models, end: End, key: Any, listener: End) -> None:
    assert listener.gets is not None
    listener.gets.held += 1
    end.puts, end.gets = Channel(models, "the stream"), Channel(models, "the stream")
    of_run(models).waiting.setdefault(key, []).append(End(end.puts, end.gets))


def _accept(models: Models, real: Any, self: Any) -> Any:
    end = _end_of(models, self)
    if end is None or end.gets is None:
        return _counted(models, self, "accept", lambda: real(self))
    fd, address = channels.receive(models, _Real.fileno(self), end, lambda: real(self), _Real.gettimeout(self))
    channels.received(end, 1)
    waiting = of_run(models).waiting.get(end.address)
    if waiting:
        of_run(models).add(fd, waiting.pop(0))
    return fd, address


# -- sending and receiving ----------------------------------------------------------------------------


def _flags(args: tuple[Any, ...], at: int, named: dict[str, Any]) -> int:
    found = args[at] if len(args) > at else named.get("flags", 0)
    return found if isinstance(found, int) else 0


def _timeout(self: Any, flags: int) -> float | None:
    timeout: float | None = 0.0 if flags & _DO_NOT_WAIT else _Real.gettimeout(self)
    return timeout


def _receiving(name: str, flags_at: int, amount: Callable[[Any], int]) -> Callable[..., Any]:
    def receive(models: Models, real: Any, self: Any, *args: Any, **named: Any) -> Any:
        end = _end_of(models, self)
        if end is None or end.gets is None:
            return (
                real(self, *args, **named)
                if end is not None
                else _counted(models, self, name, lambda: real(self, *args, **named))
            )
        flags = _flags(args, flags_at, named)
        channels.hold(models, args[:1], f"{name}()")
        found = channels.receive(
            models, _Real.fileno(self), end, lambda: real(self, *args, **named), _timeout(self, flags)
        )
        if not flags & _PEEK:
            channels.received(end, amount(found) if _is_stream(self) else 1)
        return found

    return receive


def _sending(name: str) -> Callable[..., Any]:
    def send(models: Models, real: Any, self: Any, data: Any, *args: Any) -> Any:
        end = _end_of(models, self)
        if end is None:
            return _counted(models, self, name, lambda: real(self, data, *args))
        if end.puts is None and end.peer is not None:
            return _post(models, self, end.peer, lambda: real(self, data, *args))
        stream = _is_stream(self)
        channels.hold(models, (data,), f"{name}()")
        if name != "sendall" or not stream:
            return channels.send(
                models, _Real.fileno(self), end, lambda: _sent(real(self, data, *args), stream), _timeout(self, 0)
            )
        rest = memoryview(data).cast("B")
        while rest:
            gone = channels.send(
                models, _Real.fileno(self), end, partial(_send_some, self, rest, *args), _timeout(self, 0)
            )
            rest = rest[gone:]
        return None

    return send


def _send_some(self: Any, data: Any, *flags: int) -> int:
    try:
        return int(_Real.send(self, data, (flags[0] if flags else 0) | _DO_NOT_WAIT))
    except BlockingIOError:
        return 0  # the buffer has less room than the system said


def _sent(amount: Any, stream: bool) -> int:
    return int(amount or 0) if stream else 1


def _post(models: Models, self: Any, key: Any, perform: Callable[[], Any]) -> Any:
    """Send a message to an address."""
    receiver = of_run(models).by_address.get(key) if key is not None else None
    if receiver is None or receiver.gets is None:
        return _counted(models, self, "sendto", perform)
    touch(models, Op.RMW, receiver.gets)
    done = perform()
    receiver.gets.held += 1
    return done


def _sendto(models: Models, real: Any, self: Any, data: Any, *args: Any) -> Any:
    channels.hold(models, (data,), "sendto()")
    end = _end_of(models, self)
    if end is None:
        return _counted(models, self, "sendto", lambda: real(self, data, *args))
    done = _post(models, self, _key(self, args[-1]), lambda: real(self, data, *args))
    _has_address(models, self, end)
    return done


def _sendmsg(models: Models, real: Any, self: Any, buffers: Any, *args: Any) -> Any:
    channels.hold(models, list(buffers) if isinstance(buffers, (list, tuple)) else (), "sendmsg()")
    end = _end_of(models, self)
    if end is None or end.puts is None:
        return _counted(models, self, "sendmsg", lambda: real(self, buffers, *args))
    stream = _is_stream(self)
    return channels.send(
        models, _Real.fileno(self), end, lambda: _sent(real(self, buffers, *args), stream), _timeout(self, 0)
    )


def _shutdown(models: Models, real: Any, self: Any, how: int) -> None:
    end = _end_of(models, self)
    if end is not None:
        touch(models, Op.RMW, end.puts, end.gets)
        if how != socket.SHUT_RD and end.puts is not None:
            end.puts.closed = True
        if how != socket.SHUT_WR and end.gets is not None:
            end.gets.closed = True
    real(self, how)


def _state(thing: Any) -> tuple[Target, str]:
    """The location that methods in C, such as ``settimeout``, read and change."""
    return (OBJECT, number(thing)), "the state of a socket"


def _close(models: Models, real: Any, self: Any, *args: Any) -> None:
    channels.closing(models, _Real.fileno(self), also=[change(*_state(self))])
    real(self, *args)


def _close_first(models: Models, real: Any, self: Any) -> None:
    """The flag is set by which a socket describes itself as closed; then the descriptor is closed, unless files that
    were made of the socket are open."""
    if not self._closed:
        pass_step(models, change(*_state(self)))
    real(self)


def _detach(models: Models, real: Any, self: Any) -> Any:
    """A socket gives its descriptor away, and counts as closed from then on."""
    end = _end_of(models, self) or End()
    of_number = descriptor_numbers.changes(models, _Real.fileno(self))
    touch(models, Op.RMW, end.puts, end.gets, also=[*of_number, change(*_state(self))])
    return real(self)


def _plainly(models: Models, real: Any, self: Any, *args: Any) -> Any:
    return real(self, *args)


def end_run() -> None:
    """Close the sockets that a run has left open."""
    channels.end_run(_Real.close)


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "__init__": _init,
    "bind": _bind,
    "listen": _listen,
    "connect": _connecting("connect"),
    "connect_ex": _connecting("connect_ex"),
    "_accept": _accept,
    "recv": _receiving("recv", 1, len),
    "recv_into": _receiving("recv_into", 2, int),
    "recvfrom": _receiving("recvfrom", 1, lambda found: len(found[0])),
    "recvfrom_into": _receiving("recvfrom_into", 2, lambda found: int(found[0])),
    "recvmsg": _receiving("recvmsg", 2, lambda found: len(found[0])),
    "recvmsg_into": _receiving("recvmsg_into", 2, lambda found: int(found[0])),
    "send": _sending("send"),
    "sendall": _sending("sendall"),
    "sendto": _sendto,
    "sendmsg": _sendmsg,
    "shutdown": _shutdown,
    "close": _close_first,
    "_real_close": _close,
    "detach": _detach,
    "get_inheritable": _plainly,
    "set_inheritable": _plainly,
}
#: Methods that depend on the socket's own settings: its timeout, whether it is open.
_GOING_BY_STATE: Final = frozenset(_METHODS) - {
    *("__init__", "close", "_real_close", "detach"),
    *("connect", "connect_ex"),  # these change them in the step of the connection
}

#: Those of them that change these.
_CHANGING_STATE: Final = frozenset({"bind", "listen"})


def _looking(wrapper: Callable[..., Any], access: Callable[[Target, str], StepAccess]) -> Callable[..., Any]:
    def look(models: Models, real: Any, self: Any, *args: Any, **named: Any) -> Any:
        pass_step(models, access(*_state(self)))
        return wrapper(models, real, self, *args, **named)

    return look


for _name, _wrapper in _METHODS.items():
    if _name in _GOING_BY_STATE:
        _wrapper = _looking(_wrapper, change if _name in _CHANGING_STATE else read)
    replace_method("socket", f"socket.{_name}", _wrapper)
replace_function(socket, "socketpair", _pair)
