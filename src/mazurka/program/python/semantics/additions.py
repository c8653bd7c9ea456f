"""Steps that add to a location without showing what is there: two of these commute (explore/sections.py).

``x.n += 1`` on two integers adds: nothing but the new value of ``x.n`` depends on the old one; likewise
``counter[word] += 1``, also if the word was missing. So does ``d[k] = v``, or ``d.setdefault(k)``, to the keys of
``d``, if ``k`` was missing, unless somebody looks at their order. And so do ``write`` and ``flush`` to a file, unless
somebody reads it, or asks for its size or position.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.trace.event import Op
from mazurka.trace.targets import Target

_SUMS: Final = frozenset({"__iadd__", "__isub__"})

_READING: Final = (Op.READ, Op.RMW)

#: Builtins to which the order of a dictionary's keys, values or items makes no difference if all of these are integers,
#: or all texts: others may be equal and yet differ, or be in no order (sets, nan).
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


def note_insertion(run: Any, target: Target) -> None:
    """The last step, if it was on this target, puts an item under a key if the key is missing."""
    if _is_last(run, target):
        run.additions.add(~(len(run.log) - 1))


def note_writing(run: Any, target: Target) -> None:
    """The last step, if it was on this target, writes to a file, or to the buffer of one."""
    if _is_last(run, target):
        run.additions.add(~(len(run.log) - 1))


def note_look_aside(run: Any, target: Target) -> None:
    """The last step, if it was on this target, shows nothing of what was added there."""
    if _is_last(run, target):
        run.unordered.add(len(run.log) - 1)


def note_look(run: Any, site: int, thing: Any = None) -> None:
    """The last step has looked at the keys of a dictionary, perhaps by way of ``thing``: note it if their order makes
    no difference to it."""
    if not run.is_recording and run.log and run.log[-1][3] == site:
        if _is_without_order(site, bool(run.log[-1][6])) or _is_of_equals(site, thing):
            run.unordered.add(len(run.log) - 1)


def _is_last(run: Any, target: Target) -> bool:
    return not run.is_recording and bool(run.log) and run.log[-1][2] is target


@cache
def _is_without_order(site: int, reads_values: bool) -> bool:
    found = sites.site(site)
    if found is None:
        return False
    is_call = found.kind == "call" and found.name == "len" and not reads_values
    return is_call or _is_compared(site) or found.kind in ("compare", sites.TRUTH_TEST)


@cache
def _is_compared(site: int) -> bool:
    """Whether a copy is made that is only compared, or counted."""
    found = sites.site(site)
    return found is not None and found.kind == "call" and found.name in _COPYING and sites.is_also(site, sites.COMPARED)


def _is_of_equals(site: int, thing: Any) -> bool:
    """Whether a builtin goes over the keys, values, or items of a dictionary, of which equal ones can't be told
    apart."""
    kind = type(thing)
    if kind not in _PARTS:
        return False
    found = sites.site(site)
    if found is None or found.kind != "call" or not (found.name in _OF_EQUALS or _is_compared(site)):
        return False
    if kind is not _ITEMS:
        return {type(each) for each in thing} in (set(), {int}, {str})
    keys, values = {type(key) for key, _ in thing}, {type(value) for _, value in thing}
    return found.name not in ("sum", "any", "all") and keys in ({int}, {str}) and values <= _PLAIN


_ITEMS: Final[type] = type({}.items())
_PARTS: Final[tuple[type, ...]] = (dict, Counter, defaultdict, type({}.keys()), type({}.values()), _ITEMS)


@cache
def _begins_alike(one: int, other: int) -> bool:
    """Whether two sites begin at one place of the source."""
    first, second = sites.site(one), sites.site(other)
    return first is not None and second is not None and first[:3] == second[:3]
