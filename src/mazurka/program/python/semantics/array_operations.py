"""Operations of NumPy during which other threads run: it releases the interpreter while it processes an array.

Such an operation is two steps: its begin, and its end, at which all its accesses happen. If another thread has touched
the array between the two, and one of them changes it, the result of the real operation is not tracked: other threads
may see the array half changed, and changes may get lost.

NumPy releases the interpreter for arrays of more than 500 elements (`NPY_BEGIN_THREADS_THRESHOLDED`), and in products,
sorts and searches of any size; never where elements are Python objects.

Cost: a step more for such operations on arrays that several threads touch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import native_objects
from mazurka.program.python.semantics.gathering import AccessCollector
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import OBJECT, Target

#: The number of elements that NumPy processes without releasing the interpreter.
_AT_ONCE: Final = 500

#: Operations that release the interpreter for arrays of any size.
_ALWAYS: Final = frozenset(
    """dot inner vdot matmul __matmul__ __rmatmul__ __imatmul__ sort argsort partition argpartition searchsorted take
    choose tensordot einsum kron outer lexsort bincount""".split()
)

#: Operations that don't process the elements.
_QUICK: Final = frozenset(
    """reshape view transpose squeeze swapaxes item itemset __len__ diagonal tolist getfield setflags newbyteorder
    __iter__ __reduce__ __reduce_ex__ __array_finalize__ asarray asanyarray shape ndim size expand_dims""".split()
)

_TEXT: Final = "operations of NumPy on one array at the same time"


def spans(run: Any, site: int, things: Iterable[Any], name: str = "", args: tuple[Any, ...] = ()) -> list[Target]:
    """The locations of the arrays among ``things`` that an operation processes in two steps; ``name`` and ``args`` are
    those of its method or function."""
    numpy = sys.modules.get("numpy")
    if numpy is None or run.is_recording or name in _QUICK or _is_of_one_element(name, args):
        return []
    found = []
    for each in things:
        if is_a(each, numpy.ndarray) and not numpy.ndarray.dtype.__get__(each).hasobject:
            always = name in _ALWAYS or sites.kind_of(site) == "matmul"
            if numpy.ndarray.size.__get__(each) > (1 if always else _AT_ONCE):
                target = (OBJECT, number(native_objects.owner_of_bytes(each)))
                if type(run) is AccessCollector:
                    if has_concurrent_threads(run):
                        count_untracked(run, _TEXT, site)
                elif target not in found and not native_objects.is_own(run, target, site):
                    found.append(target)
    return found


def _is_of_one_element(name: str, args: tuple[Any, ...]) -> bool:
    """Whether an operation takes one element by its index, or makes a view, which processes no elements."""
    if name not in ("__getitem__", "__setitem__") or not args:
        return False
    parts = args[0] if type(args[0]) is tuple else (args[0],)
    kinds = (int, slice, type(None), type(...)) if name == "__getitem__" else (int,)
    return all(type(each) in kinds for each in parts)


def begin(run: Any, targets: list[Target], site: int) -> int:
    """Pass the step in which an operation begins; returns the position in the log after it."""
    for target in targets:
        run.visit(Op.READ, target, site)
    return len(run.log)


def end(run: Any, since: int, targets: list[Target], site: int) -> None:
    """The step in which the operation ends has been passed: count conflicting accesses of other threads since it
    began."""
    passed = run.log[since:]
    if not passed:
        return
    *between, last = passed
    for target in targets:
        changed = _changes(last, target)
        if any(
            _touches(each, target) and (changed or _changes(each, target)) for each in between if each[0] != last[0]
        ):
            count_untracked(run, _TEXT, site)


def _touches(entry: Any, target: Target) -> bool:
    return entry[2] == target or any(access.target == target for access in entry[6])


def _changes(entry: Any, target: Target) -> bool:
    return (entry[2] == target and WRITES[entry[1]]) or any(
        access.target == target and WRITES[access.op] for access in entry[6]
    )
