"""Makes two calls of a run come in a certain order, and keeps their results: for the confirmation of predictions.

The first one waits, where it is about to begin, for an event that is set when the second one has returned; and, if the
plan says so, the second waits until the first is about to begin, where nothing else determines when that is. So all
other choices remain those of the run's plan, and an impossible order is a deadlock. Calls are those of marked
classes (:mod:`mazurka.marked_methods`) and of the library's objects that recordings know
(:mod:`mazurka.program.python.recording.library_calls`), counted by thread, type and method from the start of the first
thread on, as in a recording.
"""

from __future__ import annotations

import builtins
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mazurka import marked_methods
from mazurka.marked_methods import InvocationObserver, MarkedClass
from mazurka.program.protocol import KnownCall, OrderedCalls
from mazurka.program.python.primitives.run import here
from mazurka.program.python.recording.library_calls import ENTER_HOOK, recording_enter, recording_hooks
from mazurka.program.python.recording.library_kinds import identity
from mazurka.trace.literals import Raised, plain, text_of


class ReversedCalls(InvocationObserver):
    """Puts two calls of one run in the wanted order, and keeps their results."""

    def __init__(self, wanted: OrderedCalls) -> None:
        self._wanted = wanted
        self._counts: Counter[tuple[str, str, str]] = Counter()
        self._gate: Any = None  # the event that the first waits for
        self._start: Any = None  # the event that the second waits for
        self._things: dict[KnownCall, Any] = {}
        self._results: dict[KnownCall, str] = {}
        self._is_reversed = False

    @property
    def outcome(self) -> tuple[str | None, str | None] | None:
        """The results of the first and the second call, each None if the call has not returned; None instead of both if
        they were not calls of one object, or have not come in this order."""
        first, second, _ = self._wanted
        if not self._is_reversed or self._things[first] is not self._things[second]:
            return None
        return self._results.get(first), self._results.get(second)

    def call(self, marked: MarkedClass, thing: Any, method: str, arguments: tuple[Any, ...]) -> KnownCall | None:
        models = here()
        if models is None or models.runtime.solo:
            return None
        key = models.runtime.current.name, marked.type_name, method
        known = KnownCall(*key, self._counts[key])
        self._counts[key] += 1
        first, second, meets = self._wanted
        if known not in (first, second):
            return None
        self._things[known] = thing
        if known == second and meets and first not in self._things:
            self._start = threading.Event()
            self._start.wait()
        if known == first:
            if self._start is not None:
                self._start.set()
            if second not in self._results:
                self._gate = threading.Event()
                self._gate.wait()
            self._is_reversed = second in self._results
        return known

    def end(self, call: object, result: object) -> None:
        if isinstance(call, KnownCall):
            self._note(call, text_of(plain(result, identity)))

    def leave(self, call: object, error: BaseException) -> None:
        if isinstance(call, KnownCall) and isinstance(error, Exception):
            self._note(call, text_of(Raised(type(error).__name__)))

    def _note(self, call: KnownCall, result: str) -> None:
        self._results[call] = result
        if call == self._wanted.second and self._gate is not None:
            self._gate.set()


@contextmanager
def reversing(wanted: OrderedCalls) -> Iterator[ReversedCalls]:
    """The observer that makes the calls of a run come in this order."""
    watching = ReversedCalls(wanted)
    names, before = vars(builtins), marked_methods.observer
    hooks = recording_hooks(watching, names, everything=True)
    hooks[ENTER_HOOK] = recording_enter(watching, names[ENTER_HOOK])
    usual = {name: names[name] for name in hooks}
    marked_methods.observer = watching
    forget = marked_methods.observe_known(watching)
    names.update(hooks)
    try:
        yield watching
    finally:
        names.update(usual)
        forget()
        marked_methods.observer = before
