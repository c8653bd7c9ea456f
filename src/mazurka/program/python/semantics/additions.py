"""Steps that add to a location without showing what is there: two of these commute (explore/sections.py).

``x.n += 1`` on two integers adds: nothing but the new value of ``x.n`` depends on the old one; likewise
``counter[word] += 1``, also if the word was missing. So does ``d[k] = v``, or ``d.setdefault(k)``, to the keys of
``d``, if ``k`` was missing, unless somebody looks at their order; and so does ``del d[k]``, or ``d.pop(k)``, if it was
there, since what is left is the same in either order. Likewise ``add``, ``remove`` and ``discard`` of a set.
``items.append(x)`` adds to the list, unless somebody looks at the order of its elements. And so do ``write`` and
``flush`` to a file, unless somebody reads it, or asks for its size or position.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from functools import cache
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.trace.event import Op
from mazurka.trace.targets import Target

_SUMS: Final = frozenset({"__iadd__", "__isub__"})

_READING: Final = (Op.READ, Op.RMW)

#: Builtins to which the order of keys, values, items or elements makes no difference if all of these are integers, or
#: all texts, or all tuples of these alike: others may be equal and yet differ, or be in no order (sets, nan).
_OF_EQUALS: Final = frozenset({"len", "sorted", "min", "max", "sum", "any", "all"})

#: ... if the result is only compared, or counted. (Otherwise a set shows the order of those whose hashes collide.)
_COPYING: Final = frozenset({"dict", "set", "frozenset"})
_PLAIN: Final = frozenset({int, str, bool, float, bytes, type(None)})


def note(run: Any, name: str, site: int) -> None:
    """An augmented assignment at this site is about to apply a method to two `int`: note the step that has read the
    first of them, if it is the last one."""
    if name in _SUMS and not run.is_recording and (log := run.log):
        last = log[-1]
        if last[0] == run.current.index and last[1] in _READING and _begins_alike(last[3], site):
            run.additions.add(len(log) - 1)


def note_addition(run: Any, target: Target) -> None:
    """The last step, if it was on this target, puts an item under a key or takes it away, appends to a list, or writes
    to a file, or to the buffer of one."""
    if _is_last(run, target):
        run.additions.add(~(len(run.log) - 1))


def note_look_aside(run: Any, target: Target) -> None:
    """The last step, if it was on this target, shows nothing of what was added there."""
    if _is_last(run, target):
        run.unordered.add(len(run.log) - 1)


def note_look(run: Any, site: int, thing: Any = None) -> None:
    """The last step has looked into containers, perhaps by way of ``thing``: note it if the order of their keys, or of
    the elements of this list, makes no difference to it."""
    if not run.is_recording and run.log and run.log[-1][3] == site:
        if type(thing) in _LISTS:
            if _is_of_equals(site, thing):
                run.counted.add(len(run.log) - 1)
        elif _is_without_order(site, bool(run.log[-1][6])) or _is_of_equals(site, thing):
            run.unordered.add(len(run.log) - 1)


def note_look_at_size(run: Any, site: int, thing: Any) -> None:
    """The last step has looked at how many elements a container has, or which keys: note it if it asks only for the
    number, or their order makes no difference to it otherwise."""
    if type(thing) not in _LISTS:
        note_look(run, site)
    elif not run.is_recording and run.log and run.log[-1][3] == site and _is_of_number(site, run.log[-1]):
        run.counted.add(len(run.log) - 1)


def _is_last(run: Any, target: Target) -> bool:
    return not run.is_recording and bool(run.log) and run.log[-1][2] is target


@cache
def _is_without_order(site: int, reads_values: bool) -> bool:
    found = sites.site(site)
    if found is None:
        return False
    is_call = found.kind == "call" and found.name == "len" and not reads_values
    return is_call or _is_compared(site) or found.kind in ("compare", sites.TRUTH_TEST)


def _is_of_number(site: int, entry: Any) -> bool:
    """Whether a step only asks how many elements a list has."""
    found = sites.site(site)
    if found is None or entry[6]:
        return False
    return found.kind == sites.TRUTH_TEST or (found.kind == "call" and found.name == "len")


@cache
def _is_compared(site: int) -> bool:
    """Whether a copy is made that is only compared, or counted."""
    found = sites.site(site)
    return found is not None and found.kind == "call" and found.name in _COPYING and sites.is_also(site, sites.COMPARED)


def _is_of_equals(site: int, thing: Any) -> bool:
    """Whether a builtin goes over the elements of a list or a set, or the keys, values, or items of a dictionary, of
    which equal ones can't be told apart."""
    kind = type(thing)
    if kind not in _PARTS:
        return False
    found = sites.site(site)
    if found is None or found.kind != "call" or not (found.name in _OF_EQUALS or _is_compared(site)):
        return False
    if kind is not _ITEMS:
        shapes = {_shape(each) for each in thing}
        return len(shapes) < 2 and None not in shapes
    keys, values = {type(key) for key, _ in thing}, {type(value) for _, value in thing}
    return found.name not in ("sum", "any", "all") and keys in ({int}, {str}) and values <= _PLAIN


def _shape(element: Any) -> Any:
    """Of elements of one shape, equal ones are the same, and any two are in an order; None if that is not known."""
    if type(element) in (int, str, bool, bytes):
        return type(element)
    if type(element) is not tuple:
        return None
    parts = tuple(map(_shape, element))
    return None if None in parts else parts


_ITEMS: Final[type] = type({}.items())
_LISTS: Final[tuple[type, ...]] = (list, deque)
_PARTS: Final[tuple[type, ...]] = (
    *(dict, Counter, defaultdict, type({}.keys()), type({}.values()), _ITEMS),
    *(set, *_LISTS),
)


@cache
def _begins_alike(one: int, other: int) -> bool:
    """Whether two sites begin at one place of the source."""
    first, second = sites.site(one), sites.site(other)
    return first is not None and second is not None and first[:3] == second[:3]
