"""The recorded calls of the standard library's own objects, and the calls of specified types that stand for them.

===========================  ==============================================================================
type of the library          calls
===========================  ==============================================================================
``threading.Event``          ``set``, ``clear``, ``is_set``, ``wait``; a wait with a time limit is an ``is_set``
``threading.Condition``      ``wait``, ``notify``, ``notify_all``, each where it begins
``concurrent...Executor``    ``submit`` and ``shutdown`` of thread pools, also at the end of a ``with``
``queue.SimpleQueue``,       ``put``, ``get`` and the like with items; a ``get`` with a time limit is a
``queue.Queue`` ...          ``get_nowait``
``stream``                   ``read``, ``write`` and the like of files, ``close``
``connection``               ``send``, ``recv`` and the like of sockets, ``close``
===========================  ==============================================================================

A call that the type does not have (``Condition.wait_for``, a ``put`` with a time limit into a queue with a ``maxsize``)
keeps its object's calls in the recorded order. Calls of a ``queue.Queue`` with a ``maxsize`` that the type does not
have, or of a class derived from a queue, are not recorded, and keep their order, too.

For a stream and a connection it only counts whether a call raises, so results are None.
"""

from __future__ import annotations

import io
import queue
import socket
import threading
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from mazurka.marked_methods import MarkedClass
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.locations import bases
from mazurka.program.python.semantics.objects import number
from mazurka.program.python.semantics.shapes import shapes

EVENT: Final = MarkedClass("threading.Event", "Event", "threading.Event", None)
EXECUTOR: Final = MarkedClass("concurrent.futures.Executor", "ThreadPoolExecutor", "ThreadPoolExecutor", None)
CONDITION_CLASS: Final = MarkedClass("threading.Condition", "Condition", "threading.Condition", None)
#: The name for calls of a condition that its type does not have.
UNSPECIFIED: Final = "wait_for"

_STREAM: Final = MarkedClass("stream", "file", "file", None)
_CONNECTION: Final = MarkedClass("connection", "socket", "socket", None)


class RecordedSimpleQueue(queue._PySimpleQueue):  # type: ignore[name-defined,misc]
    """``queue.SimpleQueue`` in Python, on locks that are recorded."""


RecordedSimpleQueue.__name__ = RecordedSimpleQueue.__qualname__ = "SimpleQueue"  # its name in reports


def identity(thing: object) -> str:
    """The name of an object among arguments and results; that of a class or function is its own."""
    named = thing if isinstance(thing, (type, types.FunctionType)) else type(thing)
    return f"{named.__name__}@{number(thing)}"


class LibraryCall(NamedTuple):
    """A call as one of a specified type. ``has_result``: its result counts. ``begins``: it takes effect at its begin,
    and returns None there."""

    marked: MarkedClass
    method: str
    arguments: tuple[Any, ...] = ()
    has_result: bool = True
    begins: bool = False


#: Gives the specified call for a call of a method of an object, if it is recorded.
_Described = Callable[[Any, str, tuple[Any, ...], dict[str, Any]], LibraryCall | None]

_READING: Final = dict.fromkeys(("read", "readline", "readlines", "readinto", "read1", "peek"), "read")
_WRITING: Final = dict.fromkeys(("write", "writelines", "truncate"), "write")
_SENDING: Final = dict.fromkeys(("send", "sendall", "sendto"), "send")
_RECEIVING: Final = dict.fromkeys(("recv", "recv_into", "recvfrom"), "recv")
_OF_STREAMS: Final = {**_READING, **_WRITING, "seek": "seek", "flush": "flush", "close": "close"}
_OF_CONNECTIONS: Final = {**_SENDING, **_RECEIVING, "close": "close"}


def _by_name(marked: MarkedClass, methods: dict[str, str], has_result: bool) -> _Described:
    def described(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> LibraryCall | None:
        return LibraryCall(marked, methods[name], (), has_result) if name in methods else None

    return described


def _of_event(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> LibraryCall | None:
    if name == "wait" and (args or named) and None not in (*args, *named.values()):
        return LibraryCall(EVENT, "is_set")
    return LibraryCall(EVENT, name) if name in ("set", "clear", "is_set", "wait") else None


def _of_condition(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> LibraryCall | None:
    plain = not args and not named
    if name == "wait" and plain:
        return LibraryCall(CONDITION_CLASS, "wait", (threading.current_thread().name,), False, True)
    if name in ("notify", "notify_all") and plain:
        return LibraryCall(CONDITION_CLASS, name, (), False, True)
    return LibraryCall(CONDITION_CLASS, UNSPECIFIED, (), False) if name in ("wait", "wait_for", "notify") else None


def _of_executor(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> LibraryCall | None:
    return LibraryCall(EXECUTOR, name, (), False) if name in ("submit", "shutdown") else None


def _of_queue(thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> LibraryCall | None:
    """The calls of queues without a ``maxsize``, whose ``put`` never waits, and of a ``queue.Queue`` with a small
    one."""
    kind, size = type(thing).__name__, getattr(thing, "maxsize", 0)
    if name not in _OF_QUEUES[kind] or (size > 0 and (kind != "Queue" or size > _LARGEST)):
        return None
    type_name = "work_queue" if kind == "Queue" and size <= 0 else f"queue.{kind}"
    marked, given = (
        MarkedClass(type_name, kind, f"queue.{kind}", None),
        dict(zip(_PARAMETERS[name], args, strict=False)),
    )
    given |= named
    waits = given.get("block", True) and given.get("timeout") is None
    match name:
        case "put" | "put_nowait":
            if "item" not in given:
                return None
            method = name if size > 0 else "put"
            if size > 0 and not waits:
                method = "put_nowait"
            return LibraryCall(marked, method, (given["item"],))
        case "get":
            return LibraryCall(marked, "get" if waits else "get_nowait")
        case "shutdown":
            return LibraryCall(marked, "shutdown_now" if given.get("immediate", False) else "shutdown")
    return LibraryCall(marked, name)


#: The largest `maxsize` for which the specification of ``queue.Queue`` has a state.
_LARGEST: Final = 3

_USED: Final = ("put", "put_nowait", "get", "get_nowait", "empty", "qsize")
_COUNTED: Final = ("full", "task_done", "join", "shutdown")
_OF_QUEUES: Final = {
    "Queue": (*_USED, *_COUNTED),
    "LifoQueue": (*_USED, *_COUNTED),
    "PriorityQueue": (*_USED, *_COUNTED),
    "SimpleQueue": _USED,
}
_PARAMETERS: Final = {
    **dict.fromkeys((*_USED, *_COUNTED), ()),
    "put": ("item", "block", "timeout"),
    "put_nowait": ("item",),
    "get": ("block", "timeout"),
    "shutdown": ("immediate",),
}

#: Class -> the function that describes its calls. Only the classes themselves count, not those derived from them.
_QUEUES: Final[dict[type, _Described]] = dict.fromkeys(
    (queue.Queue, queue.LifoQueue, queue.PriorityQueue, RecordedSimpleQueue),
    _of_queue,
)

#: Files and sockets, which a ``with`` closes.
_CLOSED: Final[dict[type, _Described]] = {
    **dict.fromkeys(
        (io.TextIOWrapper, io.BufferedWriter, io.BufferedReader, io.BufferedRandom, io.FileIO, io.StringIO, io.BytesIO),
        _by_name(_STREAM, _OF_STREAMS, False),
    ),
    socket.socket: _by_name(_CONNECTION, _OF_CONNECTIONS, False),
}

#: Classes whose methods are replaced in recordings.
_REPLACED: Final[dict[type, _Described]] = {threading.Event: _of_event, ThreadPoolExecutor: _of_executor}

_BY_CALLER: Final = {**_CLOSED, **_QUEUES, threading.Condition: _of_condition}

#: The classes whose calls are recorded where instrumented code makes them.
RECORDED: Final = frozenset(_BY_CALLER)


def described(kind: type, everything: bool) -> _Described | None:
    """The function that describes the calls of a class's objects, if they are recorded; ``everything``: also for
    classes whose methods are replaced in recordings, and for classes that stand for those of the library."""
    if not everything:
        return _BY_CALLER.get(kind)
    if kind in _QUEUES or (kind.__name__ == "SimpleQueue" and "_mz_take_last" in kind.__dict__):
        return _of_queue
    known = {**_CLOSED, **_REPLACED, threading.Condition: _of_condition}
    return next((known[each] for each in kind.__mro__ if each in known), None)


def closes(kind: type) -> bool:
    """Whether an object of a class is closed at the end of a ``with``."""
    own = (shapes.get(id(kind)) or shape_of(kind)).own
    found = own.get(_CLOSES)
    if found is None:
        found = own[_CLOSES] = not _CLOSED.keys().isdisjoint(bases(kind))
    return bool(found)


#: In the shape of a class, beside names of attributes: whether its objects are closed.
_CLOSES: Final = " closes"
