"""Calls of the standard library's own objects in a recording, as invocations of the trace: no class has to be marked.

Which calls these are says :mod:`mazurka.program.python.recording.library_kinds`. Those of events and thread pools are
recorded whoever makes them, the others where instrumented code does; files and sockets are closed at the end of a
``with``, too. A shutdown takes effect before it waits for the pool's threads: no task can be submitted from then on.
What ``threading`` itself does with the events of its threads is not recorded.

Cost: some microseconds a call.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mazurka.marked_methods import InvocationObserver, MarkedClass
from mazurka.program.python.recording.library_kinds import (
    EVENT,
    EXECUTOR,
    RECORDED,
    LibraryCall,
    closes,
    described,
)


def patches(observer: InvocationObserver) -> list[tuple[Any, str, Callable[..., Any]]]:
    """What to put in place of what: owner, name, function."""
    event = threading.Event
    plain = [
        (event, name, _observed(observer, EVENT, name, getattr(event, name))) for name in ("set", "clear", "is_set")
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
        call = observer.call(EXECUTOR, self, "submit", (getattr(fn, "__qualname__", type(fn).__qualname__),))
        return _ended(observer, call, lambda: submit(self, fn, *args, **named), False)

    return submitting


class RecordedMethod:
    """Stands for an object of the library in a call of one of its methods, which it records."""

    __slots__ = ("_everything", "_observer", "_thing")

    def __init__(self, observer: InvocationObserver, thing: Any, everything: bool = False) -> None:
        self._observer, self._thing, self._everything = observer, thing, everything

    def __getattr__(self, name: str) -> Any:
        method, describe = getattr(self._thing, name), described(type(self._thing), self._everything)

        def recorded(*args: Any, **named: Any) -> Any:
            call = None if describe is None else describe(self._thing, name, args, named)
            if call is None:
                return method(*args, **named)
            return _recorded(self._observer, self._thing, call, lambda: method(*args, **named))

        return recorded


def recording_method(
    observer: InvocationObserver, method: Callable[..., Any], everything: bool = False
) -> Callable[..., Any]:
    """The hook before methods are called, for calls of methods of the library's objects, too; of all or only of those
    whose methods are not replaced in recordings."""

    def announced(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
        found = method(thing, name, site, *args, **named)
        kind = type(found)
        if everything:  # where some are of classes that model them
            return found if described(kind, True) is None else RecordedMethod(observer, found, True)
        return RecordedMethod(observer, found) if kind in RECORDED else found

    return announced


class _Closing:
    """Stands for a file or socket in a ``with`` statement, whose end it records as a call of ``close``."""

    __slots__ = ("_observer", "_thing")

    def __init__(self, observer: InvocationObserver, thing: Any) -> None:
        self._observer, self._thing = observer, thing

    def __enter__(self) -> Any:
        return self._thing.__enter__()

    def __exit__(self, *raised: object) -> Any:
        describe = described(type(self._thing), True)
        call = None if describe is None else describe(self._thing, "close", (), {})
        if call is None:
            return self._thing.__exit__(*raised)
        return _recorded(self._observer, self._thing, call, lambda: self._thing.__exit__(*raised))


def recording_enter(observer: InvocationObserver, enter: Callable[[Any, int], Any]) -> Callable[[Any, int], Any]:
    """The hook before a ``with`` statement, for files and sockets."""

    def announced(manager: Any, site: int) -> Any:
        found = enter(manager, site)
        return _Closing(observer, found) if closes(type(found)) else found

    return announced


def _recorded(observer: InvocationObserver, thing: Any, call: LibraryCall, make: Callable[[], Any]) -> Any:
    """Make a call that is to be recorded."""
    begun = observer.call(call.marked, thing, call.method, call.arguments)
    if call.begins:
        observer.end(begun, None)
        return make()
    return _ended(observer, begun, make, call.tells)


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
        call = observer.call(EVENT, self, "wait" if timeout is None else "is_set", ())
        return _ended(observer, call, lambda: wait(self, timeout), True)

    return waiting


def _shutting_down(observer: InvocationObserver, shutdown: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(shutdown)
    def shutting_down(self: Any, wait: bool = True, *, cancel_futures: bool = False) -> None:
        call = observer.call(EXECUTOR, self, "shutdown", ())
        _ended(observer, call, lambda: shutdown(self, wait=False, cancel_futures=cancel_futures), False)
        for thread in self._threads if wait else ():  # as it does itself, but that takes its lock again
            thread.join()

    return shutting_down


def _is_internal() -> bool:
    """Whether the caller of a method is `threading`."""
    return sys._getframe(2).f_code.co_filename == threading.__file__
