"""Finalisers of objects in cycles whose effects commute with every step of a run, so that their time makes no
difference.

The interpreter calls the finaliser of an object in a cycle at some time after no thread leads to the object any more,
in some thread. An access of the finaliser commutes with all steps of the run if the location belongs to an object that
leads to the finalised one by strong references: such an object can be reached by no thread once the finalised one
can't, so all steps that touched it came before. (A reference to an object can only be made by code that has the
object.) It also commutes if the finaliser has made the object, or if it only reads a location that no step has written.
A finaliser all of whose accesses commute changes nothing that any thread could see, and behaves the same at any time.

So at the end of a run, when its cycles are collected, finalisers of the program are called one by one, with a stand-in
for the runtime that gathers their accesses. One counts as noticed if it calls a model of a primitive or of a file, or
code that is not instrumented; if an access of its is untracked or may not commute; if it raises an exception; or if two
of them disagree about a location.

Cost: for programs that have such finalisers, another collection of the youngest generation, and a few microseconds for
each step of a finaliser.
"""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.isolation import cycles
from mazurka.program.python.isolation.cycles import Noticed
from mazurka.program.python.semantics import classification, ends_of_objects, objects, reachable
from mazurka.program.python.semantics.gathering import AccessCollector
from mazurka.trace.event import WRITES
from mazurka.trace.targets import Target

_HEAP_TYPE: Final = 1 << 9

#: Files of this program whose functions are hooks, or parts of them; other ones are models of primitives and files.
_HOOKS: Final = ("/semantics/", "/instrument/", "/program/runtime/")


class _FinaliserAccesses(AccessCollector):
    """Gathers the accesses of a finaliser, as if another thread were there."""

    let_go = None
    careful = False
    is_complete = True

    def __init__(self, running: Any) -> None:
        super().__init__(running)
        self.live = (running.current, running.current)
        self.untracked = {}
        self.uncontrolled = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.is_complete = False  # a hook needs the runtime itself
        raise AttributeError(name)


def collect(run: Any, referred: list[Any], held: frozenset[int], kept: frozenset[int]) -> Noticed:
    """Like :func:`.cycles.collect`, at the end of a run whose objects still have their numbers."""
    recall = objects.release()
    found: list[tuple[Any, Any]] = []
    owners = _owners()
    for owner, function in owners:
        type.__setattr__(owner, "__del__", _recorder(found, ends_of_objects.original(function)))
    _activate(None)
    try:
        noticed = cycles.collect(referred, held, kept)
    finally:
        for owner, function in owners:
            type.__setattr__(owner, "__del__", function)
        _activate(run)
    recall()  # also those of objects that the finalisers keep
    finalisers = _Finalisers(run)
    leading = [_leading(thing) for thing, _ in found]  # before a finaliser changes that
    while found:
        thing, function = found.pop(0)
        if not finalisers.call(thing, function, leading.pop(0)) and id(thing) not in kept:
            noticed = Noticed.BY_CODE
    return noticed


def _leading(thing: Any) -> list[Any]:
    """The objects that an object leads to, and that lead to it."""
    reached = {id(each): each for each in reachable.led_to(thing)}
    leading_to: dict[int, list[int]] = {}
    for key, each in reached.items():
        for inner in gc.get_referents(each):
            leading_to.setdefault(id(inner), []).append(key)
    found, waiting = {id(thing)}, [id(thing)]
    while waiting:
        for key in leading_to.get(waiting.pop(), ()):
            if key not in found:
                found.add(key)
                waiting.append(key)
    return [reached[key] for key in found]


def _activate(run: Any) -> None:
    """Have hooks report to a run, or to a stand-in for it, that has begun before."""
    activation.active = run


def _owners() -> list[tuple[type, Any]]:
    """The classes of the program with a finaliser of which there are objects, each with that function."""
    kinds = {id(type(each)): type(each) for each in objects.made()}
    found: dict[int, tuple[type, Any]] = {}
    for kind in kinds.values():
        known = classification.find(kind, "__del__")
        if known is not None and _is_of_program(known[1]) and known[0].__flags__ & _HEAP_TYPE:
            found[id(known[0])] = known
    return list(found.values())


def _is_of_program(function: Any) -> bool:
    function = ends_of_objects.original(function)
    return (
        type(function) is types.FunctionType
        and function.__code__.co_filename in sites.instrumented
        and not str(function.__module__).startswith("asyncio.")
    )


def _recorder(found: list[tuple[Any, Any]], function: Any) -> Callable[[Any], None]:
    def record(thing: Any) -> None:
        found.append((thing, function))

    return record


class _CallAtEnd:
    """Calls a function at its own end, so that an exception is reported as that of a finaliser."""

    def __init__(self, function: Callable[[], None]) -> None:
        self.function = function

    def __del__(self) -> None:
        self.function()


class _Finalisers:
    """Calls the finalisers of one run, and judges their accesses."""

    def __init__(self, run: Any) -> None:
        self.run = run
        self.read: dict[Target, int] = {}  # by which finaliser, or -1 for several
        self.written: dict[Target, int] = {}
        self.count = 0

    def call(self, thing: Any, function: Any, leading: list[Any]) -> bool:
        """Call a finaliser; returns whether it commutes with all steps, and with the finalisers before it. ``leading``
        are the objects that lead to its own."""
        collector = _FinaliserAccesses(self.run)
        elsewhere: list[str] = []
        raised = [True]

        def called(frame: types.FrameType, event: str, _argument: Any) -> None:
            if event == "call" and frame.f_back is not None and frame.f_back.f_code.co_filename in sites.instrumented:
                file = frame.f_code.co_filename
                if file not in sites.instrumented and not any(part in file for part in _HOOKS):
                    elsewhere.append(file)

        def end() -> None:
            function(thing)
            raised.clear()

        before = sys.getprofile()
        _activate(collector)
        sys.setprofile(called)
        try:
            _CallAtEnd(end)
        finally:
            sys.setprofile(before)
            _activate(self.run)
        self.count += 1
        seen = collector.is_complete and not (collector.untracked or collector.uncontrolled or elsewhere or raised)
        return self._commute(collector, frozenset(map(_number, leading))) and seen

    def _commute(self, collector: _FinaliserAccesses, leading: frozenset[int]) -> bool:
        conflicts: list[Target] = []
        agree = True
        for access in collector.accesses:
            target, writes = access.target, bool(WRITES[access.op])
            mine, others = (self.written, self.read) if writes else (self.read, self.written)
            if mine.setdefault(target, self.count) != self.count:
                mine[target] = -1
            agree = agree and others.get(target, self.count) == self.count
            record = self.run.touched.get(target)
            if writes or (record is not None and record[1]):
                conflicts.append(target)
        return agree and all(self._is_private(each, leading) for each in dict.fromkeys(conflicts))

    def _is_private(self, target: Target, leading: frozenset[int]) -> bool:
        """Whether a location is part of an object that leads to the finalised one, or that has been made since the
        collection."""
        if len(target) < 2 or type(target[1]) is not int:
            return False
        if target[1] in leading:
            return True
        is_new = target not in self.run.touched
        return is_new and any(_number(each) == target[1] for each in gc.get_objects(generation=0))


def _number(thing: Any) -> int:
    return abs(objects.numbers.get(id(thing), 0))
