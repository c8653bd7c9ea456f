"""Interpreters without a global lock (free-threaded builds): which operations are one step there, too.

The threads of a check take turns wherever they run, and each operation in C is one step. With a global lock each is one
step in real executions of the program, too. Without one, an operation is one step as far as CPython promises (library
reference, *Thread Safety Guarantees*): reading or storing an attribute, a variable or one element of a list, dictionary
or set, asking for their length, copying, clearing and showing them; of a deque, adding or taking an element at either
end. An operation that goes through several elements, or moves them, may be seen half done; for other objects in C
nothing is promised. As soon as threads share the object of such an operation, and one changes it, the operation is
untracked, and so no verdict is `verified` that rests on it.

Cost: none with a global lock; without, a look at each step when a run has ended.
"""

from __future__ import annotations

import functools
import sys
import sysconfig
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import objects, untracked
from mazurka.program.runtime.sharing import SHARED
from mazurka.trace.targets import Kind, Target, kind_of, of_kinds

#: Containers of exactly these classes -> methods, and functions, that are one step on them.
_CALLS: Final[dict[type, frozenset[str]]] = {
    kind: frozenset(names.split())
    for kind, names in {
        list: "len copy clear append",
        dict: "len copy clear get setdefault pop popitem keys values items",
        set: "len copy clear add discard remove pop",
        deque: "append appendleft pop popleft",  # the methods that its documentation promises
    }.items()
}

#: The language's own operations on one element that are one step, by the kinds of their sites.
_OPERATIONS: Final[dict[type, frozenset[str]]] = {
    list: frozenset({"read item", "write item", "iterate", "test"}),
    dict: frozenset({"read item", "write item", "delete item", "search", "iterate", "test"}),
    set: frozenset({"search", "iterate", "test"}),
}

#: Whether a target is inside of a container, or of a native object.
_is_inside: Final = of_kinds(Kind.ITEM, Kind.STRUCTURE, Kind.VALUES, Kind.OBJECT)

#: Methods that are one step for any number of elements.
_WHOLE: Final = frozenset("copy clear keys values items".split())


def has_lock() -> bool:
    """Whether only one thread of the program runs at a time in real executions. A build without a global lock has one
    only while some library, perhaps ours, asks for it, unless the user does (``PYTHON_GIL=1``)."""
    return not _is_free_build() or getattr(sys.flags, "gil", None) == 1


@functools.cache
def _is_free_build() -> bool:
    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def count_at_end(run: Any) -> None:
    """A run has ended: count uses of shared objects in steps that are no single steps without a global lock."""
    if not has_lock() and not run.is_recording:
        living = objects.living()
        for target, site in divisible(run):
            kind = type(living[target[1]]).__name__ if target[1] in living else "object"
            untracked.count_untracked(run, f"an operation on a {kind} that takes several steps without the GIL,", site)


def divisible(run: Any) -> Iterator[tuple[Target, int]]:
    """Shared locations that are accessed by steps that are no single steps without a global lock, with their sites."""
    living = objects.living()
    for _, _, target, place, _, _, more in run.log:
        targets = [target, *(access.target for access in more)]
        shared = [each for each in targets if run.touched.get(each) is SHARED]
        if shared and not _is_one_step(targets, place, living):
            yield shared[0], place


def _is_one_step(targets: list[Target], place: int, living: dict[int, Any]) -> bool:
    inside = [each for each in targets if _is_inside(each)]
    site = sites.site(place)
    if not inside or site is None:
        return not inside
    called = site.name.rpartition(".")[2] if site.kind == "call" else ""
    name, table = (called, _CALLS) if called else ("" if site.name == "slice" else site.kind, _OPERATIONS)
    if not all(
        kind_of(each) is not Kind.OBJECT and name in table.get(type(living.get(each[1])), ()) for each in inside
    ):
        return False
    return called in _WHOLE or sum(kind_of(each) is not Kind.STRUCTURE for each in inside) <= 1
