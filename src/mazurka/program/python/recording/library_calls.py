"""Calls of the standard library's own objects in a recording, as invocations of the trace: no class has to be marked.

===========================  ==============================================================================
type of the library          calls
===========================  ==============================================================================
``threading.Event``          ``set``, ``clear``, ``is_set``, ``wait``; a wait with a time limit is an ``is_set``
``concurrent...Executor``    ``submit`` and ``shutdown`` of thread pools, also at the end of a ``with``
``stream``                   ``read``, ``write`` and the like of files, ``close``; by instrumented code
``connection``               ``send``, ``recv`` and the like of sockets, ``close``; by instrumented code
===========================  ==============================================================================

Of a stream and a connection only counts whether a call raises, so that results are None. A shutdown takes effect before
it waits for the pool's threads: no task can be submitted from then on. What ``threading`` itself does with the events
of its threads is not recorded.

Cost: some microseconds a call.
"""

from __future__ import annotations

import functools
import io
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from mazurka.marked_methods import InvocationObserver, MarkedClass

_EVENT: Final = MarkedClass("threading.Event", "Event", "threading.Event", None)
_EXECUTOR: Final = MarkedClass("concurrent.futures.Executor", "ThreadPoolExecutor", "ThreadPoolExecutor", None)
_STREAM: Final = MarkedClass("stream", "file", "file", None)
_CONNECTION: Final = MarkedClass("connection", "socket", "socket", None)

#: Of objects of the library whose calls by instrumented code are recorded: the methods, by what they are called in the
#: specification.
_READING: Final = dict.fromkeys(("read", "readline", "readlines", "readinto", "read1", "peek"), "read")
_WRITING: Final = dict.fromkeys(("write", "writelines", "truncate"), "write")
_OF_STREAMS: Final = {**_READING, **_WRITING, "seek": "seek", "flush": "flush", "close": "close"}
_SENDING: Final = dict.fromkeys(("send", "sendall", "sendto"), "send")
_RECEIVING: Final = dict.fromkeys(("recv", "recv_into", "recvfrom"), "recv")
_OF_CONNECTIONS: Final = {**_SENDING, **_RECEIVING, "close": "close"}

_KINDS: Final[dict[type, tuple[MarkedClass, dict[str, str]]]] = {
    **dict.fromkeys(
        (io.TextIOWrapper, io.BufferedWriter, io.BufferedReader, io.BufferedRandom, io.FileIO, io.StringIO, io.BytesIO),
        (_STREAM, _OF_STREAMS),
    ),
    socket.socket: (_CONNECTION, _OF_CONNECTIONS),
}

#: Their classes.
RECORDED: Final = frozenset(_KINDS)

#: The same, and those whose methods are replaced in recordings.
_ALL: Final = {
    **_KINDS,
    threading.Event: (_EVENT, {"set": "set", "clear": "clear", "is_set": "is_set", "wait": "wait"}),
    ThreadPoolExecutor: (_EXECUTOR, {"submit": "submit", "shutdown": "shutdown"}),
}


def patches(observer: InvocationObserver) -> list[tuple[Any, str, Callable[..., Any]]]:
    """What to put in place of what: owner, name, function."""
    event = threading.Event
    plain = [
        (event, name, _observed(observer, _EVENT, name, getattr(event, name))) for name in ("set", "clear", "is_set")
    ]
    return [
        *plain,
        (event, "wait", _waiting(observer, event.wait)),
        (ThreadPoolExecutor, "shutdown", _shutting_down(observer, ThreadPoolExecutor.shutdown)),
    ]


def submitting(observer: InvocationObserver, submit: Callable[..., Any]) -> Callable[..., Any]:
    """``ThreadPoolExecutor.submit``."""

    @functools.wraps(submit)
    def submitting(self: Any, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        call = observer.call(_EXECUTOR, self, "submit", (getattr(fn, "__qualname__", type(fn).__qualname__),))
        return _ended(observer, call, lambda: submit(self, fn, *args, **named), False)

    return submitting


class RecordedMethod:
    """Stands for an object of the library in a call of one of its methods, which it records."""

    __slots__ = ("_observer", "_thing")

    def __init__(self, observer: InvocationObserver, thing: Any) -> None:
        self._observer, self._thing = observer, thing

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._thing, name)
        marked, methods = next(_ALL[kind] for kind in type(self._thing).__mro__ if kind in _ALL)
        if name not in methods:
            return method

        def recorded(*args: Any, **named: Any) -> Any:
            is_limited = (
                marked is _EVENT and name == "wait" and (args or named) and (None not in (*args, *named.values()))
            )
            called = "is_set" if is_limited else methods[name]
            call = self._observer.call(marked, self._thing, called, ())
            return _ended(self._observer, call, lambda: method(*args, **named), marked is _EVENT)

        return recorded


def recording_method(
    observer: InvocationObserver, method: Callable[..., Any], everything: bool = False
) -> Callable[..., Any]:
    """The hook before methods are called, for calls of methods of the library's objects, too; of all or only of those
    whose methods are not replaced in recordings."""
    every = frozenset(_ALL)

    def announced(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
        found = method(thing, name, site, *args, **named)
        if everything:  # where files are of classes that model them
            return found if every.isdisjoint(type(found).__mro__) else RecordedMethod(observer, found)
        return RecordedMethod(observer, found) if type(found) in RECORDED else found

    return announced


def _ended(observer: InvocationObserver, call: object, make: Callable[[], Any], tells: bool) -> Any:
    """Make a call that has been announced, and say how it ends: with its result if that counts, or an exception."""
    try:
        made = make()
    except BaseException as error:
        observer.leave(call, error)
        raise
    observer.end(call, made if tells else None)
    return made


def _observed(
    observer: InvocationObserver, marked: MarkedClass, name: str, method: Callable[..., Any]
) -> Callable[..., Any]:
    @functools.wraps(method)
    def observed(self: Any) -> Any:
        if _is_internal():
            return method(self)
        return _ended(observer, observer.call(marked, self, name, ()), lambda: method(self), True)

    return observed


def _waiting(observer: InvocationObserver, wait: Callable[..., bool]) -> Callable[..., bool]:
    @functools.wraps(wait)
    def waiting(self: Any, timeout: float | None = None) -> Any:
        if _is_internal():
            return wait(self, timeout)
        call = observer.call(_EVENT, self, "wait" if timeout is None else "is_set", ())
        return _ended(observer, call, lambda: wait(self, timeout), True)

    return waiting


def _shutting_down(observer: InvocationObserver, shutdown: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(shutdown)
    def shutting_down(self: Any, wait: bool = True, *, cancel_futures: bool = False) -> None:
        call = observer.call(_EXECUTOR, self, "shutdown", ())
        _ended(observer, call, lambda: shutdown(self, wait=False, cancel_futures=cancel_futures), False)
        for thread in self._threads if wait else ():  # as it does itself, but that takes its lock again
            thread.join()

    return shutting_down


def _is_internal() -> bool:
    """Whether the caller of a method is `threading`."""
    return sys._getframe(2).f_code.co_filename == threading.__file__
