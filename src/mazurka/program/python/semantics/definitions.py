"""Classes, functions and modules that uninstrumented code inspects: ``dir(Box)``, ``inspect.getmembers(Box)``,
``"{0.n}".format(box)``, ``repr(function)``.

What it looks at in them is not told as accesses. So it is remembered who has looked, and at the end of the run
(:func:`.foreign.own_up`) a look counts as untracked if another thread, at the same time, has
stored or deleted an attribute there.

Cost: a tenth of a microsecond for each thing looked at.
"""

from __future__ import annotations

import array
import functools
import io
import types
from collections.abc import Callable, Iterable
from typing import Any, Final

from mazurka.program.python.semantics import untracked
from mazurka.program.python.semantics.locations import bases, space_name
from mazurka.program.python.semantics.objects import dictionary, is_a, number
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.targets import Target

#: Number of a class or function, or name of a module, that was looked at -> the threads that did, each with what
#: counts that.
looked_at: Final[dict[Any, dict[int, Callable[[], None]]]] = {}

#: The same for held objects, by number.
held: Final[dict[Any, dict[int, Callable[[], None]]]] = {}


def look(run: Any, things: Iterable[Any], site: int, by: str, behind: bool = False) -> None:
    """Uninstrumented code inspects ``things``; ``behind``: also the classes of instances among them."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    for each in things:
        kind = type(each)
        if kind is types.FunctionType:
            _note(run, number(each), each.__qualname__, site, by)
        elif kind is types.MethodType:
            look(run, (each.__func__,), site, by)
        elif is_a(each, types.ModuleType):
            space = dictionary(each)
            if type(space) is dict:
                _note(run, space_name(space), str(space.get("__name__", "?")), site, by)
        else:
            classes = bases(each) if is_a(each, type) else bases(kind) if behind else ()
            for one in classes:
                if one.__flags__ & _HEAP_TYPE:
                    _note(run, number(one), one.__name__, site, by)


def hold(run: Any, things: Iterable[Any], site: int, by: str) -> None:
    """Code that nobody sees holds the bytes of ``things`` while it waits, or for longer: who changes how many there are
    then gets an error."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    for each in things:
        if type(each) in _WITH_BYTES and (by != "update()" or len(each) > _HASHED_AT_ONCE):
            count = functools.partial(
                untracked.count_untracked, run, f"the bytes of a {type(each).__name__}, held by {by},", site
            )
            held.setdefault(number(each), {}).setdefault(run.current.index, count)


#: What gives its bytes to others, and can't grow then.
_WITH_BYTES: Final = frozenset({bytearray, array.array, io.BytesIO})

#: A hash lets others go on while it takes in more bytes than these.
_HASHED_AT_ONCE: Final = 2047

#: Methods in C that use the bytes of their argument without the GIL or for longer than the call.
HOLDING: Final = frozenset("readinto readinto1 recv_into recvfrom_into getbuffer from_buffer update tofile".split())

_HEAP_TYPE: Final = 1 << 9


def _note(run: Any, key: Any, name: str, site: int, by: str) -> None:
    count = functools.partial(untracked.count_untracked, run, f"a look at {name} by {by}", site)
    looked_at.setdefault(key, {}).setdefault(run.current.index, count)


#: Location that the end of an object has written -> the threads that let go of it last, and what counts that: it ends
#: some time after the step that lets go, while others may look.
ended: dict[Target, dict[int, Callable[[], None]]] = {}


def restart() -> None:
    """A run begins, or has ended."""
    looked_at.clear()
    held.clear()
    ended.clear()
