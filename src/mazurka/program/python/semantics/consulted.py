"""Results of the program's functions that code in C looks at: keys that are compared, results that are tested.

``sorted(names, key=marks.get_list)`` compares lists after the function has returned, ``filter`` tests the results of
its function. No step shows when. So a function that is handed to such code is noted, and the containers in its later
results are held: at the end of the run they count as untracked if another thread has changed one of them, and neither
thread waited for the other or had a lock that both took (:func:`.handed_objects.count_at_end`).

Cost: a tenth of a microsecond for each return of such a function; some microseconds if it returns a container.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable, Iterable
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import deep_access, untracked
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.gathering import CALLING
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Methods whose results code in C, or of the library, looks at.
_ASKED_FOR: Final = frozenset(
    "__exit__ __getstate__ __reduce__ __reduce_ex__ __getnewargs__ __getnewargs_ex__ keys".split()
)

#: id of a code object -> that object, for functions that were handed to code in C, and generators that it goes through.
_codes: Final[dict[int, types.CodeType]] = per_run({})

#: Number of a container that such a function returned -> the threads that the function ran in, each with the functions
#: that count this, by the position in the log since which the container is held.
held: Final[dict[int, dict[int, dict[int, Callable[[], None]]]]] = per_run({})


def hold(run: Any, known: int, count: Callable[[], None], index: int | None = None) -> None:
    """A thread, by index, the running one by default, reads the content of an object, by its number, in more than one
    step: ``count`` is called if another thread changes it at the same time."""
    held.setdefault(abs(known), {}).setdefault(run.current.index if index is None else index, {}).setdefault(-1, count)


def hold_keywords(run: Any, function: functools.partial[Any], site: int, index: int | None = None) -> None:
    """A thread may call a partial in a step of code in C: each call reads its dictionary of keywords."""
    if not run.is_recording:
        hold(run, number(function.keywords), functools.partial(_count_keywords, run, site), index)


def _count_keywords(run: Any, site: int) -> None:
    text = "keywords of a partial, changed while it may be called"
    if site:
        untracked.count_untracked(run, f"{text},", site)
    else:
        run.untracked[text] = run.untracked.get(text, 0) + 1


#: At most so many containers in a result are searched for further ones.
_MOST_INSIDE: Final = 64


def note(things: Iterable[Any]) -> None:
    """Note the functions among these objects, which are handed to code in C."""
    for each in things:
        kind = type(each)
        if kind is types.FunctionType:
            _codes[id(each.__code__)] = each.__code__
        elif kind is types.MethodType:
            note((each.__func__,))
        elif kind is types.GeneratorType:
            _codes[id(each.gi_code)] = each.gi_code
        elif kind is functools.partial:
            note((each.func,))
            if each.keywords and activation.active is not None:
                hold_keywords(activation.active, each, 0)
        elif kind in CALLING:
            note([inner for inner in gc.get_referents(each) if type(inner) not in deep_access.PLAIN or callable(inner)])


def given(run: Any, code: types.CodeType, value: Any) -> None:
    """A function, or a generator, is about to return or yield a value."""
    if type(value) in deep_access.PLAIN or not (id(code) in _codes or code.co_name in _ASKED_FOR):
        return
    if run.is_recording or not has_concurrent_threads(run):
        return
    waiting, seen = [value], {id(value)}
    while waiting and len(seen) < _MOST_INSIDE:
        each = waiting.pop()
        if shape_of(type(each)).base is not None:
            count = functools.partial(_count, run, code)
            held.setdefault(abs(number(each)), {}).setdefault(run.current.index, {}).setdefault(len(run.log), count)
        elif not is_a(each, (tuple, frozenset)):
            continue
        inner = [one for one in deep_access.elements(each) if type(one) not in deep_access.PLAIN]
        waiting += [one for one in inner if id(one) not in seen]
        seen.update(map(id, inner))


def _count(run: Any, code: types.CodeType) -> None:
    untracked.count_untracked(run, f"the results of {code.co_qualname}() in code in C", sites.of_call(code))
