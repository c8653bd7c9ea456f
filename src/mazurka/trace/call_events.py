"""A trace in which calls of some objects are single events, in place of the accesses that they consist of.

Definition (generalised from the thesis, 3.3.1, where actions of a library are events). A call of a *modelled* object
takes effect at one row: where it last releases a lock of the object, or else where it returns. Locations that only
calls of the object touch (data, locks and conditions) are *internal* to it, and accesses of calls to these do not
count: their rows become NOPs. All other rows of a call count as they are, and so do calls of other objects inside it; a
call inside a call of the same object is part of the outer one. A call *does more* if rows inside it count and change
something. A location is internal even if it is also accessed, outside of calls,

- by the one thread that made the object, before the first call (these rows have to come before all calls);
- by a thread that has joined all threads that call the object (the interpreter looks at an executor once more when it
  ends);
- by the workers of a recorded thread pool, or threads that calls have started: their accesses to its queue between
  tasks.

Nothing is known of other objects: all calls of one read and write one location, so that no two can change places.

Rows keep their numbers. A call that has not returned may take effect or not: nothing after its first row is known.

Cost: a pass over the rows, and some microseconds for each call.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.columns import columns_of
from mazurka.trace.event import WRITES, Op
from mazurka.trace.invocations import Invocation, begun, invocations
from mazurka.trace.targets import HIDDEN, Kind, kind_of
from mazurka.trace.trace import NO_VALUE, Trace

#: An object: the type that specifies it, and its name.
Receiver: TypeAlias = tuple[str, str]

#: The kinds that may be internal.
_INTERNAL: Final = np.isin(
    np.arange(len(Op)),
    (Op.READ, Op.WRITE, Op.RMW, Op.ACQUIRE, Op.RELEASE, Op.REQUEST, Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL),
)

#: Operations that change state that other threads may see.
_CHANGES: Final = np.array(WRITES) | np.isin(np.arange(len(Op)), (Op.FREE, Op.NOTIFY, Op.NOTIFY_ALL))

#: By type: the names of threads that belong to its objects, as recordings have them.
_HELPERS: Final = {"concurrent.futures.Executor": re.compile(r"worker\d+")}

#: The rows of a call that does nothing: it begins, and returns.
_EMPTY: Final = 2

#: For a location with more accesses outside of calls, it is not examined who makes them: it is not internal.
_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class CallEvents:
    """See the module. ``trace`` is the trace with internal rows as NOPs. ``calls`` has the calls of modelled objects by
    the row at which they take effect, ascending; ``effect`` maps the first row of a call to this row. ``made`` has for
    each object the rows that must come before its calls, ``unfinished`` the first rows of calls that have not returned,
    ``doing_more`` the rows at which calls that do more take effect."""

    trace: Trace
    calls: Mapping[int, Invocation]
    effect: Mapping[int, int]
    made: Mapping[Receiver, Sequence[int]]
    unfinished: frozenset[int]
    doing_more: frozenset[int]


def receiver_of(call: Invocation) -> Receiver:
    """The object of a call."""
    return call.type_name, call.receiver


def outermost_calls(trace: Trace) -> list[Invocation]:
    """The calls that are not inside another one of the same object, in the order in which they return."""
    found = list(invocations(trace))
    inside: set[int] = set()
    around: defaultdict[int, list[Invocation]] = defaultdict(list)  # by thread: calls that have not returned
    for call in sorted(found, key=lambda each: each.begin):
        open_calls = around[call.thread]
        open_calls[:] = [each for each in open_calls if each.end > call.begin]
        if any(receiver_of(each) == receiver_of(call) for each in open_calls):
            inside.add(call.begin)
        open_calls.append(call)
    return [call for call in found if call.begin not in inside]


def call_events(trace: Trace, modelled: Collection[Receiver]) -> CallEvents:
    """The trace with the calls of these objects as events."""
    return _CallReading(trace, frozenset(modelled)).run()


@dataclass(frozen=True, slots=True)
class _Scope:
    """A call: the rows of a thread from ``begin`` to ``end``."""

    receiver: Receiver
    thread: int
    begin: int
    end: int


class _CallReading:
    def __init__(self, trace: Trace, modelled: frozenset[Receiver]) -> None:
        self.trace, self.modelled = trace, modelled
        self.thread, self.op, self.target, self.value, _ = columns_of(trace)
        self.calls = outermost_calls(trace)
        # int64, the type of the rows that are searched for: otherwise each search would convert the whole array.
        self.rows_of_thread = [np.asarray(rows, np.int64) for rows in trace.rows_of_thread]
        self.unfinished = {row: name for row, name in begun(trace) if name in modelled}

    def run(self) -> CallEvents:
        scopes = list(self._scopes())
        touched, first = self._touched(scopes)
        internal, made = self._internal(touched, first)
        op, target, value = self.op.copy(), self.target.copy(), self.value.copy()
        effect: dict[int, int] = {}
        for scope, rows in zip(scopes, touched, strict=True):
            own = rows[[int(x) in internal[scope.receiver] for x in self.target[rows]]] if len(rows) else rows
            op[own] = Op.NOP
            released = own[self.op[own] == Op.RELEASE]
            effect[scope.begin] = int(released[-1]) if len(released) else scope.end
        names = list(self.trace.targets)
        numbers: dict[Receiver, int] = {}
        for call in self.calls:
            if (receiver := receiver_of(call)) not in self.modelled:
                if receiver not in numbers:
                    numbers[receiver] = len(names)
                    names.append((HIDDEN, f"calls of {' '.join(receiver)}"))
                op[call.end], target[call.end], value[call.end] = Op.RMW, numbers[receiver], NO_VALUE
        known = {effect[call.begin]: call for call in self.calls if receiver_of(call) in self.modelled}
        return CallEvents(
            replace(self.trace, thread=self.thread, op=op, target=target, value=value, targets=tuple(names)),
            dict(sorted(known.items())),
            {call.begin: row for row, call in known.items()},
            made,
            frozenset(self.unfinished),
            frozenset(self._doing_more(op, known, effect)),
        )

    def _doing_more(self, op: Any, known: Mapping[int, Invocation], effect: Mapping[int, int]) -> Iterator[int]:
        events = np.zeros(len(op), bool)
        events[list(known)] = True
        changing = _CHANGES[op] | events
        for row, call in known.items():
            own = self.rows_of_thread[call.thread]
            inside = own[own.searchsorted(call.begin) : own.searchsorted(call.end, "right")]
            if len(inside) > _EMPTY and (changing[inside] & (inside != row)).any():
                yield row

    def _scopes(self) -> Iterator[_Scope]:
        for call in self.calls:
            if (receiver := receiver_of(call)) in self.modelled:
                yield _Scope(receiver, call.thread, call.begin, call.end)
        for row, receiver in self.unfinished.items():
            yield _Scope(receiver, int(self.thread[row]), row, len(self.trace))

    def _touched(self, scopes: Sequence[_Scope]) -> tuple[list[Any], dict[Receiver, int]]:
        """For each scope its rows that touch locations that may be internal; for each object the row of its first
        call."""
        found, first = [], dict[Receiver, int]()
        self.forked: set[tuple[Receiver, int]] = set()  # by object: threads that its calls have started
        for scope in scopes:
            rows = self.rows_of_thread[scope.thread]
            here = rows[rows.searchsorted(scope.begin) : rows.searchsorted(scope.end, "right")]
            does_nothing = len(here) == _EMPTY and scope.end < len(self.op)
            found.append(here[:0] if does_nothing else here[_INTERNAL[self.op[here]]])
            if scope.receiver[0] in _HELPERS:
                for row in here[self.op[here] == Op.FORK].tolist():
                    self.forked.add((scope.receiver, int(self.trace.thread_of_target[self.target[row]])))
            first[scope.receiver] = min(first.get(scope.receiver, scope.begin), scope.begin)
        self.scopes = scopes
        return found, first

    def _internal(
        self, touched: Sequence[Any], first: Mapping[Receiver, int]
    ) -> tuple[dict[Receiver, set[int]], dict[Receiver, list[int]]]:
        """For each object: the targets that are internal to it, and the rows of its construction."""
        total = np.bincount(self.target[_INTERNAL[self.op]], minlength=len(self.trace.targets))
        inside: defaultdict[tuple[Receiver, int], list[int]] = defaultdict(list)
        for scope, rows in zip(self.scopes, touched, strict=True):
            for row in rows.tolist():
                inside[scope.receiver, int(self.target[row])].append(row)
        called = {row for rows in inside.values() for row in rows}
        internal: dict[Receiver, set[int]] = {receiver: set() for receiver in first}
        made: dict[Receiver, list[int]] = {receiver: [] for receiver in first}
        for (receiver, target), rows in inside.items():
            others = self._others(target, set(rows)) if len(rows) < total[target] <= len(rows) + _MOST else []
            if len(rows) + len(others) != total[target]:
                continue
            others = [row for row in others if not self._is_helping(receiver, row)]
            others = [row for row in others if row <= first[receiver] or not self._is_after_all(receiver, row)]
            if any(row > first[receiver] or row in called for row in others):
                continue
            if len({int(self.thread[row]) for row in others}) <= 1:
                internal[receiver].add(target)
                made[receiver] += others
        return internal, made

    def _is_helping(self, receiver: Receiver, row: int) -> bool:
        """Whether a row is an access to the object's queue by a thread that belongs to the object."""
        helpers = _HELPERS.get(receiver[0])
        if helpers is None:
            return False
        thread = int(self.thread[row])
        own = (receiver, thread) in self.forked or helpers.fullmatch(self.trace.threads[thread]) is not None
        return own and self.op[row] == Op.RMW and kind_of(self.trace.targets[self.target[row]]) is Kind.HIDDEN

    def _is_after_all(self, receiver: Receiver, row: int) -> bool:
        """Whether the row's thread has joined all others that call the object, so that no call can come after the
        row."""
        thread = int(self.thread[row])
        joined = {other for joining, other in self._joined.get(thread, ()) if joining < row}
        return all(
            end < row and (caller == thread or caller in joined) for caller, end in self._callers[receiver].items()
        )

    @cached_property
    def _callers(self) -> dict[Receiver, dict[int, int]]:
        """By object: the threads that call it, and the last rows of their calls."""
        callers: defaultdict[Receiver, dict[int, int]] = defaultdict(dict)
        for scope in self.scopes:
            ends = callers[scope.receiver]
            ends[scope.thread] = max(scope.end, ends.get(scope.thread, -1))
        return callers

    @cached_property
    def _joined(self) -> dict[int, list[tuple[int, int]]]:
        """By thread: its joins, each with the thread that has ended."""
        joined: dict[int, list[tuple[int, int]]] = {}
        for row in np.flatnonzero(self.op == Op.JOIN).tolist():
            other = int(self.trace.thread_of_target[self.target[row]])
            joined.setdefault(int(self.thread[row]), []).append((row, other))
        return joined

    def _others(self, target: int, inside: Collection[int]) -> list[int]:
        rows = np.asarray(self.trace.rows_of_target[target])
        return [row for row in rows[_INTERNAL[self.op[rows]]].tolist() if row not in inside]
