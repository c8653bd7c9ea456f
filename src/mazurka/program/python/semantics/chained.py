"""Iterables that a generator yields to `itertools.chain.from_iterable`, which goes over each of them later.

Between the elements other code may run: functions that `map` calls, and the code that takes the elements. So the yield
of an iterable reads it in one step, and if another thread changes its container at the same time this is untracked, as
at the end of the run (:func:`.handed_objects.count_at_end`) shows. So is an iteration by a function that looks into the
elements, or over an iterable of any other kind.

Cost: that of a read of each iterable.
"""

from __future__ import annotations

import functools
import gc
import itertools
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import calls, consulted, definitions, operators, views
from mazurka.program.python.semantics.locations import contents, emit_reads
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.targets import Kind, of_kinds

#: id of the frame of a generator that `chain.from_iterable` takes iterables from -> the generator, and the site of the
#: iteration.
_taken_from: dict[int, tuple[weakref.ref[types.GeneratorType[Any, Any, Any]], int]] = per_run({})

#: Classes whose objects take elements without looking into them.
_TAKING: Final = (itertools.chain, zip, enumerate, list, tuple, deque)

_is_content: Final = of_kinds(Kind.ITEM, Kind.STRUCTURE, Kind.VALUES)
_is_part: Final = of_kinds(Kind.ITEM, Kind.STRUCTURE, Kind.VALUES, Kind.OBJECT)


def count(run: Any, site: int) -> None:
    """Iterables are unknown that a chain goes over."""
    count_untracked(run, "the iterables that itertools.chain.from_iterable() gets from an iterator", site)


def begin(run: Any, chain: Any, site: int) -> None:
    """A chain is about to go over iterables from an iterator."""
    source: Any = next((each for each in gc.get_referents(chain) if not is_a(each, type)), None)
    frame = source.gi_frame if type(source) is types.GeneratorType else None
    if frame is not None and frame.f_code.co_filename in sites.instrumented and _only_takes(site):
        _taken_from[id(frame)] = weakref.ref(source), site
    else:
        count(run, site)


def _only_takes(site: int) -> bool:
    """Whether the code that is about to iterate takes the elements without looking into them: a loop, or the call that
    is being announced."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code is not calls.announce.__code__:
        frame = frame.f_back
    if frame is None:
        place = sites.site(site)
        return place is not None and place.kind == "iterate"
    function = frame.f_locals["function"]
    if type(function) is type:
        return any(function is each for each in _TAKING)
    return (
        type(function) is types.BuiltinFunctionType and function.__name__ == "join" and type(function.__self__) is str
    )


def yielded(run: Any, frame: types.FrameType, value: Any) -> None:
    """A generator is about to yield ``value``: an iterable, if a chain takes iterables from it."""
    if not _taken_from or (known := _taken_from.get(id(frame))) is None or run.is_recording:
        return
    generator, site = known[0](), known[1]
    if generator is None or generator.gi_frame is not frame or not has_concurrent_threads(run):
        return
    inside = views.reached(value)
    accesses = [access for each in inside for access in contents(each)]
    if hasattr(type(value), "__next__"):
        accesses += operators.moved(run, value, site)
    counter = functools.partial(count, run, site)
    if not (inside or accesses or type(value) in _PLAIN) or not all(_is_held(run, each, counter) for each in accesses):
        counter()
    elif inside:
        emit_reads(run, inside, accesses, site)
    elif accesses:
        run.visit(accesses[0].op, accesses[0].target, site, None, tuple(accesses[1:]))


def _is_held(run: Any, access: Access, counter: Callable[[], None]) -> bool:
    """Have changes of the accessed location by other threads counted, if it is a part of an object."""
    known = access.target[1]
    if not _is_part(access.target) or type(known) is not int:
        return False
    if _is_content(access.target):
        consulted.hold(run, known, counter)
    else:
        definitions.hold_whole(run, known, counter)
    return True


_PLAIN: Final = frozenset({str, bytes, tuple, range, types.GeneratorType})

operators.begin_chain.append(begin)
