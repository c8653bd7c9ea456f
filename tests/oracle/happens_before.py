"""The data races of an execution, by vector clocks: pairs of accesses that no chain of other steps puts in order.

Definition (docs/how-to/find-data-races.md): two accesses of one location by two threads, at least one of them a write,
race if both threads can stand right before theirs at once. An execution's steps are ordered by program order and by
conflicts: each step comes after the earlier ones that touch the same target, if one of the two writes it. Every order
of the steps that keeps to that is an execution, too; so a conflicting pair can be adjacent in one of them if, and only
if, no third step is between the two in the order. Attempts that fail (a try-lock of a held lock) order nothing, as in
C11 7.26.4.5. An update of an atomic variable that leaves its value as it is, is no such attempt: it has read the value.
A timeout is assumed to fire only when no thread can move, so it comes after all steps before it.

Independent of the engines: neither their happens-before (explore/races.py), nor their predictions (predict/races.py),
nor adjacent choices (trace/conflicts.py) are used; common is only the table of targets that are data.

Cost: for each access, the accesses of the same target before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from mazurka.trace.conflicts import may_race
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, kind_of

_Clock = dict[int, int]


def races(log: Sequence[Any], timeouts: Collection[int] = ()) -> set[tuple[int, int]]:
    """Pairs of sites, ascending, that race in an execution of ``(task, op, target, site, point, value, more)``;
    ``timeouts``: the numbers of the steps at which one fired."""
    found = set()
    clocks: dict[int, _Clock] = defaultdict(dict)
    touched: dict[Any, list[tuple[int, Op, int, int, _Clock]]] = defaultdict(list)
    for position, step in enumerate(log):
        if position in timeouts:
            clocks[step.task] = _joined(clocks.values())
        if fails(step):
            continue
        accesses = list(_accesses(step))
        own = clocks[step.task]
        earlier = [
            (target, past)
            for op, target in accesses
            for past in touched[target]
            if past[0] != step.task and (WRITES[op] or WRITES[past[1]])
        ]
        for target, (thread, op, site, number, _) in earlier:
            if not (_is_plain(step, target) and op in (Op.READ, Op.WRITE, Op.RMW) and may_race(target)):
                continue
            others = [past[4] for _, past in earlier if (past[0], past[3]) != (thread, number)]
            if all(clock.get(thread, 0) < number for clock in (own, *others)):
                found.add((min(site, step.site), max(site, step.site)))
        now = _joined([own, *[past[4] for _, past in earlier]])
        now[step.task] = own.get(step.task, 0) + 1
        clocks[step.task] = now
        for op, target in accesses:
            touched[target].append((step.task, op, step.site, now[step.task], now))
    return found


def _joined(clocks: Iterable[_Clock]) -> _Clock:
    joined: _Clock = {}
    for clock in clocks:
        for thread, number in clock.items():
            joined[thread] = max(joined.get(thread, 0), number)
    return joined


def fails(step: Any) -> bool:
    """Whether a step is an attempt without effect."""
    attempts = step.op is Op.READ and any(each.op is Op.REQUEST for each in step.more)
    return attempts and kind_of(step.target) is not Kind.ATOMIC


def _is_plain(step: Any, target: Any) -> bool:
    return any(op in (Op.READ, Op.WRITE, Op.RMW) and touched == target for op, touched in _accesses(step))


def _accesses(step: Any) -> Iterator[tuple[Op, Any]]:
    for op, target in ((step.op, step.target), *[(each.op, each.target) for each in step.more]):
        if READS[op] or WRITES[op]:
            yield op, target
