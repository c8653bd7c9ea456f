"""Numbers of descriptors: the open file of each, and the order in which the system assigns numbers.

A descriptor that is open, and one that was closed, has a location: the open file's, or ``("process", "descriptor
0#1")``. Functions that get its number read it, even if they only find that it is closed; closing it, and flags that are
set, change it. A new descriptor with an old number gets another location.

The system assigns numbers in the order in which threads open files, pipes and sockets. One location stands for the
table of all descriptors (``TABLE_POINTS``) once it matters: without need, it would multiply the orders of two threads
that open files. It matters if a thread uses a number after it was closed, while another thread, which may get that
number, opens a descriptor; or if one thread opens a descriptor while another opens or closes one, and the source of the
program gets at such numbers and compares values that are no constants (:data:`.sites.comparing_descriptors`). A run is
counted where steps of which no order is explored open descriptors, and in the second case also if the program mentions
functions that open some unseen (:data:`.sites.opening_unseen`).

Cost: a look at a set for each file that is opened or closed; an access for each use of a number.
"""

from __future__ import annotations

import _socket
import os
from collections.abc import Iterable
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.run import Models, count_untracked, here
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.foreign import accesses_by_values
from mazurka.program.python.semantics.objects import number
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import TABLE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Kind, Target

#: The folder of the library, which compares only numbers of its own.
_LIBRARY: Final = os.path.join(os.path.dirname(os.__file__), "")

#: Modules in C whose functions get descriptors of any kind by their numbers.
_BY_NUMBER: Final = frozenset({"posix", "fcntl", "termios", "mmap"})

_OF_COMPARISONS: Final = "numbers of descriptors that several threads open, in a program that compares values"
_UNSEEN: Final = "the number of a descriptor, in a step whose order with those of other threads is not explored"

#: The location of the table of descriptors: opening or closing one writes it, using a closed one reads it.
_TABLE: Final = (Kind.PROCESS.tag, "table of descriptors"), "the process's table of descriptors"


class _Numbers:
    """The descriptors of a run."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.opening: set[int] = set()  # threads that have opened descriptors
        self.closing: set[int] = set()
        self.stale: set[int] = set()  # threads that have used a closed descriptor
        self.locations: dict[int, tuple[Target, str]] = {}  # of the descriptors that have the numbers, or had them last
        self.closed: set[int] = set()
        self.reused: dict[int, int] = {}  # numbers closed while threads ran -> the thread that opened them again
        self.births: dict[str, int] = {}


_numbers: _Numbers | None = None


def _of_run(models: Models) -> _Numbers:
    global _numbers
    if _numbers is None or _numbers.models is not models:
        _numbers = _Numbers(models)
    return _numbers


# -- the order of numbers ----------------------------------------------------------------------------


def changing(models: Models) -> None:
    """The running thread is about to open or close a descriptor, and has passed no step for that."""
    if TABLE_POINTS in models.runtime.points:
        pass_step(models, change(*_TABLE))


def opened(models: Models) -> None:
    """The running thread has opened a descriptor, by its last step."""
    numbers = _of_run(models)
    _note(numbers, numbers.opening)
    _widen(models)


def opens_some(models: Models) -> None:
    """The running thread opens or closes descriptors during its next operation."""
    numbers = _of_run(models)
    _note(numbers, numbers.opening)
    if TABLE_POINTS in models.runtime.points:
        count_untracked(models.runtime, _UNSEEN)


def closed(models: Models) -> None:
    """The running thread has closed a descriptor by its last step; the next one that is opened may get its number."""
    numbers = _of_run(models)
    _note(numbers, numbers.closing)
    _widen(models)


def _widen(models: Models) -> None:
    runtime = models.runtime
    if TABLE_POINTS in runtime.points and not runtime.solo and not runtime.aborting:
        if not runtime.widen([Access(Op.RMW, _TABLE[0])]):
            count_untracked(runtime, _UNSEEN)


def _note(numbers: _Numbers, threads: set[int]) -> None:
    runtime = numbers.models.runtime
    if runtime.is_recording or not has_concurrent_threads(runtime):
        return
    threads.add(runtime.current.index)
    if numbers.stale and numbers.opening and len(numbers.opening | numbers.stale) > 1:
        runtime.need_points(TABLE_POINTS)
    elif numbers.opening and len(numbers.opening | numbers.closing) > 1:
        if any(map(_is_of_program, sites.comparing_descriptors & sites.instrumented)):
            if any(map(_is_of_program, sites.opening_unseen & sites.instrumented)):
                runtime.untracked[_OF_COMPARISONS] = 1
            else:
                runtime.need_points(TABLE_POINTS)


def _is_of_program(file: str) -> bool:
    return not file.startswith(_LIBRARY) or "site-packages" in file


# -- accesses ----------------------------------------------------------------------------


def has(models: Models, descriptor: int, location: tuple[Target, str] | None = None) -> None:
    """A number has been assigned: to an open file with a location of its own, or to another kind of descriptor."""
    numbers = _of_run(models)
    if location is None:
        name = models.runtime.current.name
        numbers.births[name] = count = numbers.births.get(name, 0) + 1
        location = _location(descriptor, f"{name}#{count}")
    numbers.locations[descriptor] = location
    if descriptor in numbers.closed:
        numbers.closed.discard(descriptor)
        if not models.runtime.solo:
            numbers.reused[descriptor] = models.runtime.current.index


def _location(descriptor: int, name: str) -> tuple[Target, str]:
    return (Kind.PROCESS.tag, f"descriptor {name}"), f"the descriptor {descriptor}"


def _location_of(numbers: _Numbers, descriptor: int) -> tuple[Target, str]:
    """The location of the descriptor that has the number, or had it last; one that was open before the run has a
    location of its own."""
    found = numbers.locations.get(descriptor)
    if found is None:
        found = numbers.locations[descriptor] = _location(descriptor, f"{descriptor}, open before")
    return found


def uses(models: Models, descriptor: object) -> list[StepAccess]:
    """The read of a use of a descriptor by its number, before the use; none if the argument is no number."""
    return [read(*location) for location in _used(models, descriptor)]


def changes(models: Models, descriptor: object) -> list[StepAccess]:
    """The access of a call that changes a descriptor by its number, or closes it."""
    return [change(*location) for location in _used(models, descriptor)]


def _used(models: Models, descriptor: object) -> list[tuple[Target, str]]:
    runtime = models.runtime
    if type(descriptor) is not int or runtime.solo:
        return []
    numbers = _of_run(models)
    me = runtime.current.index
    is_stale = descriptor in numbers.closed or numbers.reused.get(descriptor, me) != me
    if is_stale:
        _note(numbers, numbers.stale)
    found = [_location_of(numbers, descriptor)]
    return [*found, _TABLE] if is_stale and TABLE_POINTS in runtime.points else found


def number_of(models: Models, thing: Any, *also: StepAccess) -> int:
    """The number of a descriptor, or of a file or socket object: one that is closed has none, so its state is read;
    ``also`` are further accesses of the step."""
    if isinstance(thing, _socket.socket):
        also = (read((OBJECT, number(thing)), "the state of a socket"), *also)
    elif not isinstance(thing, int):
        getattr(thing, "closed", None)  # a step of the file itself
    if also:
        pass_step(models, *also)
    return thing if isinstance(thing, int) else int(thing.fileno())


def changes_of_range(models: Models, low: int, high: int) -> list[StepAccess]:
    """The accesses of a call that closes all descriptors of a range."""
    numbers = sorted(_of_run(models).locations)
    return [access for each in numbers if low <= each < high for access in changes(models, each)]


def is_gone(models: Models, descriptor: int) -> None:
    """A descriptor is closed, by a step that has passed."""
    numbers = _of_run(models)
    if type(descriptor) is int:
        _location_of(numbers, descriptor)
        numbers.closed.add(descriptor)
        numbers.reused.pop(descriptor, None)


def _by_values(module: str, given: Iterable[Any], *, changing: bool) -> list[Access]:
    """The accesses of a function in C to the descriptors whose numbers are among its arguments."""
    models = here()
    if models is None or models.runtime is not activation.active or models.runtime.solo:
        return []
    known = _of_run(models).locations
    found = [
        access
        for each in given
        if type(each) is int and (each in known or module in _BY_NUMBER)
        for access in (changes if changing else uses)(models, each)
    ]
    if models.runtime.detail:
        for each in found:
            models.runtime.names.setdefault(each.target, each.words)
    return [Access(each.op, each.target) for each in found]


accesses_by_values.append(_by_values)
