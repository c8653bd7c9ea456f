"""Extended-doesn't-commute: critical sections order each other only where calls in them do not commute.

Definition (thesis, section 3.4.1 and algorithm 2). *Actions* are accesses and calls; each touches access points
(:mod:`mazurka.commute.access_points`), and two actions commute unless points that they touch conflict. The order is the
least that contains

- the order of each thread's events;
- (a) if two critical sections of a lock contain actions that do not commute, the first one's release before the second
  action;
- a fork before the events of the thread forked, these before its join.

All other synchronisation orders events as in happens-before. With the points of reads and writes (:func:`read_write`)
this is wdc (wdc.py).

A *candidate* is a pair of actions of two threads that do not commute and are not ordered. If no lock is held at both,
either may come first: the pair is racy. Otherwise the two sections would have to change places as a whole, so the pair
is only decided when the second section ends (*deferred*): it is refuted if an event in the second section is ordered
after the first action. If a section never ends, its candidates are decided by the last event of its thread.

Departures. In algorithm 2 rule (a) applies to the pair itself, too, so its sections are always ordered when the second
one ends, and no deferred candidate would remain; figure 3.3 shows clocks without that. Here ``orders`` says which pairs
of conflicting points are ordered by (a), where the thesis only has the conflicts: a call that frees takes no value from
calls that use, so it need not come after them. Without ``orders`` all pairs in conflict are ordered, as in the
definition above. The order includes the edges into the second action itself, as in algorithm 1. And not only the last
action of a thread at a point is kept, since an earlier one may be the only one that can come too late: all actions are
kept or, if ``most`` candidates (:class:`Actions`) of two places in the source are enough, the last ``most`` of each
place with each set of locks. No candidate is missed by that: an edge that orders one of these orders the earlier ones,
too, so if a dropped action is in a candidate, so are ``most`` later ones.

Unsound: a candidate is no bug before a witness of it has been checked. Every pair that a reordering can reverse is a
candidate, if reorderings keep the order of actions that do not commute, and ``orders`` only has pairs in which a call
needs the earlier one.

Cost: for an action O(points in conflict x (locks held + threads x sites)) and a step for each candidate. With ``most``
this is linear in the number of actions; the first action of a refuted candidate is known to the thread from then on.
Memory: with ``most``, threads x places x sets of locks for each point, for a trace of any length; and clocks for locks
x points. It is written in Python: about a microsecond for each of these steps.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import Trace

#: By point: the points in conflict with it.
Relation: TypeAlias = Sequence[Collection[int]]

_DATA: Final = (Op.READ, Op.WRITE)

#: A vector clock: of each thread the latest event that is known.
_Clock: TypeAlias = dict[int, int]


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of a trace. ``touched`` maps the row of each action to the points that it touches. ``conflicts`` is
    symmetric; ``orders`` is the part of it that rule (a) uses: for each point the points that come before it (None:
    all). ``sites`` maps rows to places in the source (without it, or if a row is missing: one place); at most ``most``
    candidates are wanted (None: all) for each pair of places of the first and the second action. ``silent`` points have
    no conflicts, so that they only order. Only ``rows`` of the trace count, ascending (None: all)."""

    touched: Mapping[int, Sequence[int]]
    conflicts: Relation
    orders: Relation | None = None
    sites: Mapping[int, int] | None = None
    most: int | None = None
    silent: Collection[int] = ()
    rows: Sequence[int] | None = None

    def site(self, row: int) -> int:
        """The place of a row."""
        return 0 if self.sites is None else self.sites.get(row, 0)


#: Places of the first and the second action of candidates.
Sites: TypeAlias = tuple[int, int]


class Reversible(NamedTuple):
    """Two rows that may change places, the earlier one first, the locks held at both, and their places in the
    source."""

    first: int
    second: int
    locks: frozenset[int]
    sites: Sites = (0, 0)


class _Touching(NamedTuple):
    """An action that has touched a point."""

    row: int
    thread: int
    locks: frozenset[int]
    site: int


class _Deferred(NamedTuple):
    """A deferred candidate, the thread of its first action, and the common locks whose sections have not ended."""

    candidate: Reversible
    thread: int
    open: frozenset[int]


#: By thread, site and locks.
_Touches: TypeAlias = dict[tuple[int, int, frozenset[int]], deque[_Touching]]
_UNTOUCHED: Final[_Touches] = {}


def read_write(trace: Trace) -> Actions:
    """The actions of a trace if only reads and writes are actions."""
    touched = {
        row: (2 * int(target) + (op == Op.WRITE),)
        for row, (op, target) in enumerate(zip(trace.op, trace.target, strict=True))
        if op in _DATA
    }
    conflicts = [points for x in range(0, 2 * len(trace.targets), 2) for points in ((x + 1,), (x, x + 1))]
    return Actions(touched, conflicts)


def candidates(trace: Trace, actions: Actions) -> Iterator[Reversible]:
    """The candidates of a trace; a deferred one is given when the last of its sections has ended, or the trace."""
    order = ExtendedDoesntCommute(actions.conflicts, actions.orders, actions.most, actions.silent)
    for row in range(len(trace)) if actions.rows is None else actions.rows:
        thread = int(trace.thread[row])
        if row in actions.touched:
            yield from order.act(thread, row, actions.touched[row], actions.site(row))
        else:
            target = int(trace.target[row])
            yield from order.synchronise(
                thread, row, Op(int(trace.op[row])), target, int(trace.thread_of_target[target])
            )
    yield from order.left()


class ExtendedDoesntCommute:
    """The order of the events so far; events are given one by one, their rows ascending. Points are numbers that the
    caller chooses; new points may appear in the relations, with their conflicts, as the trace goes on."""

    def __init__(
        self,
        conflicts: Relation,
        orders: Relation | None = None,
        most: int | None = None,
        silent: Collection[int] = (),
    ) -> None:
        self._silent = silent
        self._conflicts, self._orders = conflicts, conflicts if orders is None else orders
        self._most = most  # candidates of two sites that are wanted
        self._counts: defaultdict[Sites, int] = defaultdict(int)  # by sites: the candidates so far
        self._clocks: defaultdict[int, _Clock] = defaultdict(dict)
        self._published: dict[int, _Clock] = {}  # by target: the clock that its readers join
        self._held: defaultdict[int, dict[int, int]] = defaultdict(dict)  # by thread: locks and their depth
        self._within: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # by thread, lock: points touched
        self._released: dict[tuple[int, int], _Clock] = {}  # by lock and point
        self._touches: defaultdict[int, _Touches] = defaultdict(dict)  # by point
        self._deferred: defaultdict[int, list[_Deferred]] = defaultdict(list)  # by the second's thread

    def clock(self, thread: int) -> Mapping[int, int]:
        """For each other thread, its latest event that is ordered before this thread's next event."""
        return self._clocks[thread]

    def kept(self) -> int:
        """The number of actions that are kept as possible first actions of candidates."""
        return sum(len(each) for touches in self._touches.values() for each in touches.values())

    def act(self, thread: int, row: int, points: Sequence[int], site: int = 0) -> Iterator[Reversible]:
        """Add an action; yields the racy candidates whose second action it is."""
        held = self._held[thread]
        if held:
            self._observe(thread, points, held)
        if all(point in self._silent for point in points):
            return
        locks = frozenset(held)
        for first in self._unordered(thread, points, site):
            candidate = Reversible(first.row, row, first.locks & locks, (first.site, site))
            if candidate.locks:
                self._deferred[thread].append(_Deferred(candidate, first.thread, candidate.locks))
            elif self._is_wanted(candidate.sites):
                yield candidate
        for point in points:
            if point in self._silent:
                continue
            touches = self._touches[point]
            if (key := (thread, site, locks)) not in touches:
                touches[key] = deque(maxlen=self._most)
            touches[key].append(_Touching(row, thread, locks, site))

    def _observe(self, thread: int, points: Sequence[int], held: Collection[int]) -> None:
        """Rule (a) for an action in sections of locks."""
        clock, released = self._clocks[thread], self._released
        for other in {other for point in points for other in self._orders[point]}:
            for lock in held:
                published = released.get((lock, other))
                if published is not None:
                    _join(clock, published)
        for lock in held:
            self._within[thread, lock].update(points)

    def synchronise(self, thread: int, row: int, op: Op, target: int, other: int) -> Iterator[Reversible]:
        """Add any other event; ``other`` is the thread that the target is, or -1. Yields the deferred candidates that
        remain when the last of their locks is released."""
        match op:
            case Op.ACQUIRE:
                held = self._held[thread]
                held[target] = held.get(target, 0) + 1
            case Op.RELEASE:
                yield from self._release(thread, row, target)
            case Op.FORK if other >= 0:
                self._learn(other, self._shown(thread, row))
            case Op.JOIN if other >= 0:
                self._learn(thread, self._shown(other, row))
            case Op.FORK | Op.JOIN | Op.BEGIN | Op.END:
                pass  # the thread's FORK and JOIN order it
            case _:
                if READS[op]:
                    self._learn(thread, self._published.get(target, {}))
                if WRITES[op]:
                    self._published[target] = self._shown(thread, row)

    def left(self) -> Iterator[Reversible]:
        """The deferred candidates that remain although their sections have not ended."""
        for thread, waiting in self._deferred.items():
            for each in waiting:
                if not self._is_ordered(thread, each) and self._is_wanted(each.candidate.sites):
                    yield each.candidate
        self._deferred.clear()

    def _unordered(self, thread: int, points: Sequence[int], site: int) -> list[_Touching]:
        """Actions of other threads that do not commute with this one and are not ordered before it, by row; none whose
        sites have enough candidates. A thread's actions that are ordered come before the others, so the search goes
        backwards."""
        found: set[_Touching] = set()
        known = self._clocks[thread]
        for other in {other for point in points for other in self._conflicts[point]}:
            for (who, first, _), touches in self._touches.get(other, _UNTOUCHED).items():
                if who == thread or self._has_enough((first, site)):
                    continue
                for touch in reversed(touches):
                    if touch.row <= known.get(who, -1):
                        break
                    found.add(touch)
        return sorted(found, key=lambda touch: touch.row)

    def _release(self, thread: int, row: int, lock: int) -> Iterator[Reversible]:
        held = self._held[thread]
        if held.get(lock, 0) != 1:
            if lock in held:
                held[lock] -= 1
            return
        del held[lock]
        shown = self._shown(thread, row)
        for point in self._within.pop((thread, lock), ()):
            released = self._released.setdefault((lock, point), {})
            _join(released, shown)
        stay: list[_Deferred] = []
        for each in self._deferred.pop(thread, ()):
            if lock not in each.open:
                stay.append(each)
            elif not self._is_ordered(thread, each):
                if each.open != {lock}:
                    stay.append(each._replace(open=each.open - {lock}))
                elif self._is_wanted(each.candidate.sites):
                    yield each.candidate
        if stay:
            self._deferred[thread] = stay

    def _has_enough(self, sites: Sites) -> bool:
        return self._most is not None and self._counts[sites] >= self._most

    def _is_wanted(self, sites: Sites) -> bool:
        """Whether a further candidate of these sites is wanted; if so, it is counted."""
        wanted = not self._has_enough(sites)
        self._counts[sites] += wanted
        return wanted

    def _is_ordered(self, thread: int, waiting: _Deferred) -> bool:
        """Whether the first action is ordered before the next event of the second one's thread."""
        return waiting.candidate.first <= self._clocks[thread].get(waiting.thread, -1)

    def _shown(self, thread: int, row: int) -> _Clock:
        """The clock that a thread publishes at an event: its own, with its events until then."""
        return {**self._clocks[thread], thread: row}

    def _learn(self, thread: int, published: _Clock) -> None:
        _join(self._clocks[thread], published)


def _join(clock: _Clock, published: _Clock) -> None:
    for thread, row in published.items():
        if row > clock.get(thread, -1):
            clock[thread] = row
