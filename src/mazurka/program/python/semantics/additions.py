"""Steps that add to a location without showing what is there: two of these commute (explore/sections.py).

``x.n += 1`` on two integers adds: nothing but the new value of ``x.n`` depends on the old one; likewise
``counter[word] += 1``, also if the word was missing. So does ``d[k] = v``, if ``k`` was missing, to the keys of ``d``,
unless somebody looks at their order.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.trace.event import Op
from mazurka.trace.targets import Target

_SUMS: Final = frozenset({"__iadd__", "__isub__"})

_READING: Final = (Op.READ, Op.RMW)

#: Builtins to which the order of a dictionary's keys makes no difference; that of equal values might.
_WITHOUT_ORDER: Final = frozenset({"len", "sorted", "set", "frozenset"})


def note(run: Any, name: str, site: int) -> None:
    """An augmented assignment at this site is about to apply a method to two `int`: note the step that has read the
    first of them, if it is the last one."""
    if name in _SUMS and not run.is_recording and (log := run.log):
        last = log[-1]
        if last[0] == run.current.index and last[1] in _READING and _begins_alike(last[3], site):
            run.additions.add(len(log) - 1)


def note_insertion(run: Any, target: Target) -> None:
    """The last step, if it was on this target, has put an item under a new key."""
    if not run.is_recording and run.log and run.log[-1][2] is target:
        run.additions.add(len(run.log) - 1)


def note_look(run: Any, site: int) -> None:
    """The last step has looked at the keys of a dictionary: note it if their order makes no difference to it."""
    if not run.is_recording and run.log and run.log[-1][3] == site and _is_without_order(site, bool(run.log[-1][6])):
        run.unordered.add(len(run.log) - 1)


@cache
def _is_without_order(site: int, reads_values: bool) -> bool:
    found = sites.site(site)
    if found is None:
        return False
    is_call = found.kind == "call" and found.name in _WITHOUT_ORDER and not reads_values
    return is_call or found.kind in ("compare", sites.TRUTH_TEST)


@cache
def _begins_alike(one: int, other: int) -> bool:
    """Whether two sites begin at one place of the source."""
    first, second = sites.site(one), sites.site(other)
    return first is not None and second is not None and first[:3] == second[:3]
