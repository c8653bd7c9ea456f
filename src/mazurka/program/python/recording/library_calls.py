"""Calls of the standard library's own objects in a recording, as invocations of the trace: no class has to be marked.

:mod:`mazurka.program.python.recording.library_kinds` lists these calls. Calls of events and thread pools are recorded
from any code, the others from instrumented code; files and sockets are closed at the end of a ``with``, too. A shutdown
takes effect before it waits for the pool's threads: no task can be submitted from then on. Calls by ``threading``
itself of the events of its threads are not recorded.

Cost: some microseconds a call.
"""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

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
    """The replacements: owner, name, function."""
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
    """Stands for an object of the library in a call of one of its methods, which it records. ``found`` has the method:
    the object itself, or an object that already stands for it."""

    __slots__ = ("_everything", "_found", "_observer", "_thing")

    def __init__(self, observer: InvocationObserver, thing: Any, found: Any, everything: bool = False) -> None:
        self._observer, self._thing, self._found, self._everything = observer, thing, found, everything

    def __getattr__(self, name: str) -> Any:
        return _recording(self._observer, self._thing, name, getattr(self._found, name), self._everything)


def recorded_function(observer: InvocationObserver, function: Any, everything: bool = False) -> Any:
    """The replacement of a called function, if it is a method of an object of the library; otherwise the function
    itself."""
    if type(function) in METHODS:
        thing = function.__self__
        if type(thing) in RECORDED or (everything and described(type(thing), True) is not None):
            return _recording(observer, thing, function.__name__, function, everything)
    return function


#: Types of methods that know their object.
METHODS: Final = frozenset({types.MethodType, types.BuiltinMethodType})


def _recording(
    observer: InvocationObserver, thing: Any, name: str, method: Callable[..., Any], everything: bool
) -> Callable[..., Any]:
    describe = described(type(thing), everything)

    def recorded(*args: Any, **named: Any) -> Any:
        call = None if describe is None else describe(thing, name, args, named)
        if call is None:
            return method(*args, **named)
        return _recorded(observer, thing, call, lambda: method(*args, **named))

    return recorded


def recording_hooks(
    observer: InvocationObserver, hooks: Mapping[str, Callable[..., Any]], everything: bool = False
) -> dict[str, Callable[..., Any]]:
    """Replacements of the hooks at calls, for calls of methods of the library's objects: of all with ``everything``
    (some may be of classes that model them), or only of those whose methods are not replaced in recordings."""
    method, method_of = hooks[METHOD_HOOK], hooks[METHOD_OF_HOOK]
    call, call_parts = hooks[CALL_HOOK], hooks[PARTS_HOOK]

    def stands_for(thing: Any, found: Any) -> Any:
        is_known = described(type(thing), True) is not None if everything else type(thing) in RECORDED
        return RecordedMethod(observer, thing, found, everything) if is_known else found

    def announced(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
        return stands_for(thing, method(thing, name, site, *args, **named))

    def announced_of(thing: Any, name: str, site: int) -> Any:
        return stands_for(thing, method_of(thing, name, site))

    def called(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
        return recorded_function(observer, call(function, site, *args, **named), everything)

    def called_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
        parts = call_parts(function, site, *args, **named)
        instead = recorded_function(observer, function, everything)
        return parts if instead is function else ((partial(instead, *args, **named),) if named else (instead, *args))

    return {
        METHOD_HOOK: announced,
        METHOD_OF_HOOK: announced_of,
        CALL_HOOK: called,
        PARTS_HOOK: called_parts,
    }


#: The names of the hooks at calls, and at the begin of a ``with`` statement.
METHOD_HOOK: Final = "__mz_m__"
METHOD_OF_HOOK: Final = "__mz_mc__"
CALL_HOOK: Final = "__mz_c__"
PARTS_HOOK: Final = "__mz_cp__"
ENTER_HOOK: Final = "__mz_w__"


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
    return _ended(observer, begun, make, call.has_result)


def _ended(observer: InvocationObserver, call: object, make: Callable[[], Any], has_result: bool) -> Any:
    """Make a call that has been announced, and report its end: with its result if that counts, or an exception."""
    try:
        made = make()
    except BaseException as error:
        observer.leave(call, error)
        raise
    observer.end(call, made if has_result else None)
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
        for thread in self._threads if wait else ():  # like the real method, which would take its lock again
            thread.join()

    return shutting_down


def _is_internal() -> bool:
    """Whether the caller of a method is `threading`."""
    return sys._getframe(2).f_code.co_filename == threading.__file__
