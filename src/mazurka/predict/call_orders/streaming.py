"""Calls that may come in the other order, found while a trace is still growing: candidates, each pair of places once.

The order is extended-doesn't-commute (order/edc.py), in one pass. A trace that is still growing does not show which
locations belong to an object alone. So a call takes effect where it returns, and accesses inside calls do not order.
Therefore some candidates are refuted when the whole trace is analysed (candidates.py), besides those that have no
witness.

Cost: some microseconds for each call, about one for each operation of a lock, or access while one is held. Memory does
not grow with the trace, but with its objects, the values that their calls are given, threads, locks and places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from mazurka.commute.named import is_known
from mazurka.errors import MazurkaError
from mazurka.order.edc import ExtendedDoesntCommute, Reversible
from mazurka.predict.call_orders.candidates import DATA
from mazurka.predict.call_orders.points import PointNumbers
from mazurka.trace.columns import Columns, Names
from mazurka.trace.event import Op
from mazurka.trace.ids import Row, ThreadIndex
from mazurka.trace.invocations import Invocation, names_in
from mazurka.trace.literals import Value, value_of
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import NO_VALUE

_CALLING: Final = (Op.CALL, Op.RETURN)


class CalledAt(NamedTuple):
    """A method that is called, the type of its object, and the number of the place of the call."""

    type_name: str
    class_name: str
    method: str
    location: int


class _Open(NamedTuple):
    """A call that has not returned; ``inner``: it is within another call of the same object."""

    row: int
    target: int
    arguments: int
    site: int
    inner: bool


class StreamedCallOrders:
    """Finds the candidates of a trace whose events come in chunks."""

    def __init__(self) -> None:
        self._points = PointNumbers(by_order=True)
        self._order = ExtendedDoesntCommute(self._points.conflicts, self._points.orders, 1, self._points.silent)
        self._row = 0
        self._open: defaultdict[int, list[_Open]] = defaultdict(list)
        self._holding: defaultdict[int, int] = defaultdict(int)  # by thread: its acquires without a release
        self._sites: dict[CalledAt, int] = {}
        self._places: list[CalledAt] = []
        self._methods: dict[int, tuple[str, str, str] | None] = {}  # by target: type, receiver and method
        self._threads: dict[str, int] = {}  # number by name: a thread is forked before the trace numbers it

    def kept(self) -> int:
        """The number of actions that are kept for later ones."""
        return self._order.kept()

    def feed(self, columns: Columns, names: Names) -> Iterator[tuple[CalledAt, CalledAt]]:
        """Add further events; yields pairs of calls that may come in the other order, in the order of the trace.

        Raises ``trace-malformed`` for malformed calls."""
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for number, op, target, value, site in rows:
            thread = self._thread(names.threads[number])
            for found in self._step(thread, op, target, (value, site), names):
                yield self._places[found.sites[0]], self._places[found.sites[1]]
            self._row += 1

    def _step(self, thread: int, op: int, target: int, rest: tuple[int, int], names: Names) -> Iterator[Reversible]:
        if op in _CALLING:
            if rest[0] != NO_VALUE and (method := self._method(target, names)) is not None:
                yield from self._called(thread, op, target, rest, method, names)
        elif op in DATA:
            if self._holding[thread] and not self._open[thread]:
                yield from self._order.act(thread, self._row, list(self._points.of_access(op, target)))
        elif op != Op.BRANCH:
            self._holding[thread] += (op == Op.ACQUIRE) - (op == Op.RELEASE)
            other = self._thread(names.targets[target][-1]) if op in (Op.FORK, Op.JOIN) else -1
            yield from self._order.synchronise(thread, self._row, Op(op), target, other)

    def _called(
        self, thread: int, op: int, target: int, rest: tuple[int, int], method: tuple[str, str, str], names: Names
    ) -> Iterator[Reversible]:
        calls, (value, site) = self._open[thread], rest
        if op == Op.CALL:
            inner = any(self._methods[each.target][:2] == method[:2] for each in calls)  # type: ignore[index]
            calls.append(_Open(self._row, target, value, site, inner))
            return
        if not calls or calls[-1].target != target:
            raise MazurkaError("trace-malformed", "a method returns that is not the latest call of its thread")
        began = calls.pop()
        if began.inner:
            return
        type_name, receiver, name = method
        arguments, result = self._value(began.arguments, names), self._value(value, names)
        if not isinstance(arguments, tuple):
            raise MazurkaError("trace-malformed", "the arguments of a call are no tuple")
        begin, end = Row(began.row), Row(self._row)
        call = Invocation(begin, end, ThreadIndex(thread), type_name, receiver, name, arguments, result)
        place = CalledAt(type_name, receiver.partition("#")[0], name, began.site)
        yield from self._order.act(thread, self._row, self._points.of_call(call), self._numbered(place))

    def _method(self, target: int, names: Names) -> tuple[str, str, str] | None:
        """The names of a method, if its type is known."""
        if target not in self._methods:
            name = names.targets[target]
            found = names_in(name) if kind_of(name) is Kind.METHOD else None
            self._methods[target] = found if found is not None and is_known(found[0]) else None
        return self._methods[target]

    def _value(self, number: int, names: Names) -> Value:
        return value_of(str(names.values[number]))

    def _thread(self, name: str) -> int:
        return self._threads.setdefault(name, len(self._threads))

    def _numbered(self, place: CalledAt) -> int:
        if place not in self._sites:
            self._sites[place] = len(self._places)
            self._places.append(place)
        return self._sites[place]
