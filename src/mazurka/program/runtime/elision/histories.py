"""The histories of threads, learnt from executions: for each thread, its next step after each sequence of reads.

A thread's next step depends on the values that its steps have read so far and on nothing else (the local determinism
axiom of the maximal causal model, dissertation ch. 3.1). So the executions made so far are a tree for each thread: a
:class:`HistoryNode` stands for a history, a :class:`HistoryEdge` for a step that read certain states of the locations
that it reads. :mod:`~mazurka.program.runtime.elision.elided` derives further executions from these trees. (The
automata of the ``mcr`` strategies, :mod:`mazurka.explore.thread_models`, serve predictions and cover all kinds of
steps. These trees cover few, and cost a tenth.)

States. The state of a location is a number, equal only if the values are:

- 0 for the initial value, which is the same in every execution, since there is one thread before the first fork;
- a number for a value, if a step writes a single location of data and the value's key is recorded
  (:attr:`~mazurka.program.protocol.Plan.keys`);
- :data:`FREE` and :data:`HELD` for locks: a mutex hands over no data;
- otherwise the number of the step that wrote it, an edge of a tree: the history of its thread determines the value. So
  a thread that is started or that joins another one depends on the whole history of that thread.

Invariant: an execution whose steps are all in the trees is one of the program. Executions with other kinds of steps
than reads, writes, mutexes, forks and joins are not learnt (:class:`Unlearnable`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mazurka.program.protocol import OPAQUE, Access, Run
from mazurka.program.runtime.lazy_run import without_keys
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import Kind, Target, kind_of

#: States of locks.
FREE: Final = 1
HELD: Final = 2

_FIRST: Final = 3

#: The conditions under which the thread at a node can go on: always, when the lock is free, when the thread has ended.
ALWAYS, WHEN_FREE, WHEN_ENDED = 0, 1, 2

_LOCK, _THREAD = Kind.LOCK, Kind.THREAD
_DATA: Final = frozenset({Kind.VARIABLE, Kind.ATOMIC})
_KINDS: Final = _DATA | {Kind.OBJECT, _LOCK, _THREAD}
_OPS: Final = frozenset(
    {Op.READ, Op.WRITE, Op.RMW, Op.ACQUIRE, Op.RELEASE, Op.FORK, Op.BEGIN, Op.END, Op.JOIN, Op.REQUEST}
)

#: The kinds of keys by which values can be compared.
_KEYS: Final = frozenset({"int", "str", "address"})

#: A step as the runtime logs it.
Entry = tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]

#: The states that a step reads.
Label = int | tuple[int, ...]


class Unlearnable(Exception):
    """An execution has a step that the trees can't have. No execution of the program is elided any more."""


class StartedThread:
    """A thread that a step starts: its name, its label, and whether the end of the program does not wait for it."""

    __slots__ = ("daemon", "label", "name")

    def __init__(self, name: str, label: str, daemon: bool) -> None:
        self.name = name
        self.label = label
        self.daemon = daemon


class HistoryEdge:
    """A step after a history. ``entry`` is the step in the log, ``writes`` are places and their states after it;
    ``following`` is None at the end of the thread. ``looks`` says that it looks at a lock, as before its end."""

    __slots__ = ("entry", "following", "looks", "started", "writes")

    def __init__(
        self,
        entry: Entry,
        writes: tuple[tuple[int, int], ...],
        following: HistoryNode | None,
        started: StartedThread | None,
        looks: bool,
    ) -> None:
        self.entry = entry
        self.writes = writes
        self.following = following
        self.started = started
        self.looks = looks


class HistoryNode:
    """A thread after a history. The thread stands before the operation ``pending``; None: no execution has shown which.
    ``place`` is the place that it waits for or reads, -1 if it reads none; ``places`` are those that it reads if they
    are several."""

    __slots__ = ("edges", "pending", "place", "places", "point", "waits")

    def __init__(self) -> None:
        self.edges: dict[Label, HistoryEdge] = {}
        self.pending: tuple[Op, Target, int] | None = None
        self.point = False
        self.waits = ALWAYS
        self.place = -1
        self.places: tuple[int, ...] = ()


class _PlaceUse:
    """The threads that have accessed a place in any execution, whether one has written it, and whether one did so
    without a point."""

    __slots__ = ("threads", "unnoticed", "written")

    def __init__(self) -> None:
        self.threads: set[str] = set()
        self.written = self.unnoticed = False


class Histories:
    """The trees of all threads of a program, as long as its points are the same."""

    def __init__(self) -> None:
        self.roots: dict[str, HistoryNode] = {"0": HistoryNode()}
        self.initial: list[int] = []  # by place
        self.places: dict[Target, int] = {}
        self.may_share = False  # executions may have locations in common to which they come without a point
        self._uses: list[_PlaceUse] = []  # by place
        self._values: dict[Any, int] = {}
        self._states = _FIRST
        self.size = 0  # edges of all trees

    # -- learning -----------------------------------------------------------------------------------------------------

    def learn(self, run: Run, is_unknown: Callable[[str, Target], bool]) -> list[Entry]:
        """Add the steps of an execution that recorded keys; returns its log without them. ``is_unknown`` says of a
        thread and a location that it has not written whether other executions may have another initial value there.

        Raises :class:`Unlearnable`; the trees are of no use then.
        """
        states: dict[int, int] = {}
        at: list[HistoryNode | None] = [None] * len(run.tasks)
        at[0] = self.roots["0"]
        log: list[Entry] = []
        for entry in run.entries():
            task, op, target, site, point, value, more = entry
            plain = (task, op, target, site, point, None, without_keys(more))
            if op is Op.BEGIN:
                at[task] = self.roots.setdefault(run.tasks[task], HistoryNode())
            node = at[task]
            assert node is not None
            edge = self._step(run, node, plain, value, states, is_unknown)
            at[task] = edge.following
            log.append(plain if edge.entry[0] != task else edge.entry)
        for blocked in run.blocked:
            node = at[blocked.task]
            _hold_known([(blocked.op, blocked.target)])
            if node is not None and blocked.op is not Op.ACQUIRE:  # which may be one that does not wait
                waits = WHEN_ENDED if blocked.op is Op.JOIN else ALWAYS
                self._stand(node, (blocked.op, blocked.target, blocked.site), blocked.point, waits)
        return log

    def _step(
        self,
        run: Run,
        node: HistoryNode,
        entry: Entry,
        value: Any,
        states: dict[int, int],
        is_unknown: Callable[[str, Target], bool],
    ) -> HistoryEdge:
        """The edge of a step; it takes effect on the states of places."""
        task, op, target, site, point, _, more = entry
        accesses = ((op, target), *[(each.op, each.target) for each in more])
        thread = run.tasks[task]
        _hold_known(accesses)
        is_attempt = any(how is Op.REQUEST for how, _ in accesses)
        self._note_first(op, target, is_attempt, states)
        waits = ALWAYS if is_attempt else WHEN_FREE if op is Op.ACQUIRE else WHEN_ENDED if op is Op.JOIN else ALWAYS
        wanted = Op.ACQUIRE if is_attempt and kind_of(target) is _LOCK else Op.RMW if is_attempt else op
        self._stand(node, (wanted, target, site), point, waits)
        read = tuple(dict.fromkeys([self._place(each) for how, each in accesses if READS[how] or how is Op.REQUEST]))
        if not node.edges:
            node.place, node.places = (read[0] if read else -1), (read if len(read) > 1 else ())
        elif (node.places or ((node.place,) if node.place >= 0 else ())) != read:
            raise Unlearnable
        found = [states.get(place, self.initial[place]) for place in read]
        for how, each in accesses:
            if READS[how] and kind_of(each) in _DATA and not states.get(self._place(each)) and is_unknown(thread, each):
                raise Unlearnable
        label: Label = found[0] if len(found) == 1 else tuple(found) if found else 0
        edge = node.edges.get(label)
        if edge is None:
            edge = node.edges[label] = self._edge(run, entry, accesses, value)
        elif edge.entry[1:] != entry[1:]:
            raise Unlearnable
        states.update(edge.writes)
        return edge

    def _edge(self, run: Run, entry: Entry, accesses: Sequence[tuple[Op, Target]], value: Any) -> HistoryEdge:
        self.size += 1
        task, op, target, _, point, _, _ = entry
        thread = run.tasks[task]
        number = self._new_state()
        writes: dict[int, int] = {}
        data = [each for each in accesses if kind_of(each[1]) in _DATA]
        for how, each in accesses:
            kind, place = kind_of(each), self._place(each)
            if WRITES[how]:
                if kind is _LOCK:
                    writes[place] = FREE if how is Op.RELEASE else HELD
                elif len(data) == 1 and data[0] == (how, each) == accesses[0] and _is_key(value):
                    writes[place] = self._value(value)
                else:
                    writes[place] = number
            if kind is not _LOCK and kind is not _THREAD:
                self._use(place, thread, WRITES[how], point)
        started = None
        if op is Op.FORK:
            index = ThreadIndex(run.tasks.index(target[1]))
            started = StartedThread(target[1], run.labels.get(index, ""), index in run.daemons)
        looks = op is Op.READ and kind_of(target) is _LOCK and not any(how is Op.REQUEST for how, _ in accesses)
        following = None if op is Op.END else HistoryNode()
        return HistoryEdge(entry, tuple(writes.items()), following, started, looks)

    def _stand(self, node: HistoryNode, pending: tuple[Op, Target, int], point: bool, waits: int) -> None:
        """A thread stands before an operation after a history."""
        if node.pending is None:
            node.pending, node.point, node.waits = pending, point, waits
            if waits is not ALWAYS:
                node.place = self._place(pending[1])
        elif (node.pending, node.point, node.waits) != (pending, point, waits):
            raise Unlearnable

    # -- places and states --------------------------------------------------------------------------------------------

    def _place(self, target: Target) -> int:
        place = self.places.get(target)
        if place is None:
            place = self.places[target] = len(self.initial)
            self.initial.append(FREE if kind_of(target) is _LOCK else 0)
            self._uses.append(_PlaceUse())
        return place

    def _note_first(self, op: Op, target: Target, is_attempt: bool, states: dict[int, int]) -> None:
        """The first operation on a lock shows whether it was held before the first fork."""
        if kind_of(target) is not _LOCK:
            return
        is_new = target not in self.places
        place = self._place(target)
        if place not in states:
            first = HELD if op is Op.RELEASE or (op is Op.READ and is_attempt) else FREE
            if is_new:
                self.initial[place] = first
            elif self.initial[place] != first:
                raise Unlearnable
            states[place] = first

    def _new_state(self) -> int:
        self._states += 1
        return self._states

    def _value(self, key: Any) -> int:
        number = self._values.get(key)
        if number is None:
            number = self._values[key] = self._new_state()
        return number

    def _use(self, place: int, thread: str, writes: bool, point: bool) -> None:
        use = self._uses[place]
        use.threads.add(thread)
        use.written = use.written or writes
        use.unnoticed = use.unnoticed or not point
        if len(use.threads) > 1 and use.written and use.unnoticed:
            self.may_share = True


def _hold_known(accesses: Sequence[tuple[Op, Target]]) -> None:
    for how, target in accesses:
        if how not in _OPS or kind_of(target) not in _KINDS:
            raise Unlearnable


def _is_key(value: Any) -> bool:
    """Whether a value is a key by which values can be compared."""
    return type(value) is tuple and value is not OPAQUE and value[0] in _KEYS
