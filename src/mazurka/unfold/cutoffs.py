"""Cutoffs: events after which the search need not go on, since a shorter execution leads to the same state.

Definition (POR-SE, section 3.8). An event is a *cutoff* if its history with it leads to the state of a known event
whose history is shorter, or to the initial state. All states are reached without cutoffs and the events after them, of
which there are finitely many if there are finitely many states.

*Delta fingerprints* (section 4.2, appendix H). A state is a set of fragments: each location with its value, each thread
with its local state. Its fingerprint is the bitwise exclusive or of their hashes, and that of the initial state, so
that a step changes it by the hashes of the fragments before and after. Each event has the exclusive or of all changes
that its thread has made up to it; the fingerprint of a history is that of the last events of its threads.

Fragments are derived from the log of an execution that records values (``Plan.values``), for any front end. A thread's
local state is a hash of its steps and of the values that it has read, from the last head of a loop on whose variables
are known (program/runtime/loops.py); values that are unknown, or are objects, stand for the steps that wrote them. So
equal fingerprints mean equal states, but for collisions of hashes of 128 bits; equal states may have different ones.

*Unknown inputs.* Values that depend on them count by their terms. The conditions that a thread has met are fragments of
their own, of which none is ever lost: a state with other conditions is that of other inputs, and goes on otherwise.

Steps that are not scheduled may have to wait, for a thread to end, say. They follow from the state before them as soon
as they can be made, so they are part of the next event of their thread.

*Endless executions.* A search that ends at cutoffs does not see whether a thread can come to its end at all. So
transitions between states are kept where executions have no end. If a state in which such an execution was left leads
to the end of some execution, by any transitions that executions made, it is no livelock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Final

from mazurka.program.protocol import Run
from mazurka.symbolic.values import InputBranch
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import OBJECTS, Kind, Target, Trait, kind_of
from mazurka.unfold.events import UnfoldingEvent

_PLAIN: Final = (int, str, float, bool, bytes, type(None))

#: How keys of values begin that are known by the numbers of objects, or not at all.
_IDENTITIES: Final = ("object", "opaque", "missing")


class Cutoffs:
    """The fingerprints of the states that known events lead to."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {0: 0}  # by fingerprint: the size of the smallest known history
        self.count = 0  # cutoffs found
        self._before: dict[int, set[int]] = {}  # by state: states with a transition to it
        self._ends: set[int] = set()  # states in which executions ended
        self._left: set[int] = set()  # states in which executions without an end were left

    def enter(
        self, run: Run, events: Sequence[UnfoldingEvent], branches: Sequence[InputBranch]
    ) -> list[UnfoldingEvent]:
        """Enter the events of an execution with these branches; sets :attr:`UnfoldingEvent.cut` of those that are new,
        and returns them."""
        new = []
        for event, updates in zip(events, _updates(run, events, branches), strict=True):
            if event.updates is None:
                self.recall(event, updates)
                new.append(event)
        return new

    def _judge(self, event: UnfoldingEvent) -> None:
        if any(last.cut for last in event.past.values()):
            event.cut = True
            return
        state, size = _state(event), event.size + 1
        if self._sizes.get(state, size) < size:
            event.cut = True
            self.count += 1
        else:
            self._sizes[state] = size

    def recall(self, event: UnfoldingEvent, updates: int) -> None:
        """Enter an event with the changes that it is known to make."""
        event.updates = updates
        self._judge(event)

    # -- endless executions -------------------------------------------------------------------------------------------

    def follow(self, events: Sequence[UnfoldingEvent], kept: int, ended: bool) -> None:
        """Note the states along an execution, of whose events the first ``kept`` are in the tree; ``ended``: it has
        come to an end."""
        state, states = 0, [0]
        for event in events:
            state ^= (event.updates or 0) ^ (event.previous.updates or 0 if event.previous is not None else 0)
            states.append(state)
        for before, after in pairwise(states):
            self._before.setdefault(after, set()).add(before)
        if ended:
            self._ends.add(states[-1])
        else:
            self._left.add(states[kept])

    def endless(self) -> int:
        """In how many states executions were left that are not known to lead to an end."""
        if not self._left:
            return 0
        reached, waiting = set(self._ends), list(self._ends)
        while waiting:
            new = self._before.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        return len(self._left - reached)


def _state(event: UnfoldingEvent) -> int:
    """The fingerprint of the state after the history of an event and itself."""
    state = event.updates or 0
    for thread, last in event.past.items():
        if thread != event.thread:
            state ^= last.updates or 0
    return state


def _updates(run: Run, events: Sequence[UnfoldingEvent], branches: Sequence[InputBranch]) -> list[int]:
    """For each event of a run: the changes that its thread has made up to its next event, or the next step that may
    have to wait."""
    follower, left = _Follower(run), deque(branches)
    for index in range(len(run.log) + 1):
        while left and (left[0].step <= index or index == len(run.log)):
            follower.branch(left.popleft(), events)
        if index < len(run.log):
            follower.step(index)
    return [updates if updates is not None else 0 for updates in follower.ends()]


class _Follower:
    """Follows the fragments of the states along a run."""

    def __init__(self, run: Run) -> None:
        count = len(run.tasks)
        self.run = run
        self.memory: dict[Target, Any] = {}
        self.locals = [0] * count  # the threads' local states
        self.changes = [0] * count  # by thread: its changes so far
        self.current: list[int | None] = [None] * count  # by thread: its event, until that is complete
        self.bases: dict[tuple[int, int, int], int] = {}  # by thread and loop: the local state when it came to the loop
        self.updates: list[int | None] = []  # by event

    def ends(self) -> list[int | None]:
        for task in range(len(self.current)):
            self._complete(task)
        return self.updates

    def _complete(self, task: int) -> None:
        event = self.current[task]
        if event is not None:
            self.updates[event] = self.changes[task]
            self.current[task] = None

    def branch(self, branch: InputBranch, events: Sequence[UnfoldingEvent]) -> None:
        """A thread meets a condition, for which there may be several events."""
        task, is_last = branch.task, False
        while not is_last:
            event = events[len(self.updates)]
            assert event.condition is not None
            self._complete(task)
            self.current[task] = len(self.updates)
            self.updates.append(None)
            condition = (event.condition.term.digest, event.condition.holds)
            self.changes[task] ^= _hash("condition", self.run.tasks[task], condition)
            self._turn(task, _hash(self.locals[task], "condition", condition))
            is_last = event.condition == branch.condition

    def step(self, index: int) -> None:
        task, op, target, site, point, value, more = self.run.log[index]
        if point or _may_wait(op, target):
            self._complete(task)
        if point:
            self.current[task] = len(self.updates)
            self.updates.append(None)
        before = self.locals[task]
        if kind_of(target) is Kind.PASS:
            base = self.bases.setdefault((task, site, target[2]), before)
            value = _in_terms(value)
            plain = value is not None and _is_plain(value)
            self._turn(task, _hash("pass", base, site, value) if plain else _hash(before, "pass", site))
            return
        accesses = ((op, target, value), *more)
        seen = [self._value(touched) for kind, touched, _ in accesses if READS[kind]]
        self._turn(task, _hash(before, site, [(kind.name, touched) for kind, touched, _ in accesses], seen))
        for number, (kind, touched, written) in enumerate(accesses):
            if WRITES[kind]:
                self._write(task, kind, touched, written, number)

    def _turn(self, task: int, after: int) -> None:
        """Change a thread's local state."""
        name = self.run.tasks[task]
        self.changes[task] ^= _hash("thread", name, self.locals[task]) ^ _hash("thread", name, after)
        self.locals[task] = after

    def _value(self, target: Target) -> Any:
        if target in self.memory:
            return self.memory[target]
        first = _in_terms(self.run.first.get(target))
        return ("value", first) if first is not None and _is_plain(first) else None

    def _write(self, task: int, op: Op, target: Target, value: Any, number: int) -> None:
        before = self._value(target)
        value = _in_terms(value)
        after: Any
        if op is Op.RELEASE:
            after = None
        elif op is Op.ACQUIRE:
            after = ("held", self.run.tasks[task])
        elif _is_written(op, target, value):
            after = ("value", value)
        else:
            after = ("by", _hash(before), self.locals[task], op.name, number)
        self.memory[target] = after
        self.changes[task] ^= _hash("at", target, before) ^ _hash("at", target, after)


def _may_wait(op: Op, target: Target) -> bool:
    """Whether a step that is not scheduled may have to wait for other threads."""
    return op in (Op.JOIN, Op.ACQUIRE, Op.RMW) or op is Op.READ and kind_of(target).has(Trait.WAITS)


def _is_written(op: Op, target: Target, value: Any) -> bool:
    """Whether a step's value is that which it writes, and is known."""
    if value is None or kind_of(target).has(Trait.ORDERS) or not _is_plain(value):
        return False
    if len(target) > 1 and type(target[1]) is int and abs(target[1]) >= OBJECTS:
        return False  # another object may have this number in another execution
    return op is Op.WRITE or op is Op.RMW and type(value) is tuple


def _is_plain(value: Any) -> bool:
    """Whether a value's key has no objects, whose numbers may differ between executions."""
    if type(value) is tuple:
        if value and (value[0] in _IDENTITIES or value[0] == "tuple" and len(value) > 1 and type(value[1]) is int):
            return False
        return all(map(_is_plain, value))
    return type(value) in _PLAIN


def _in_terms(value: Any) -> Any:
    """The key of a value, without the numbers that parts of it have for the inputs of the execution."""
    if type(value) is not tuple:
        return value
    if len(value) == 3 and value[0] == "symbolic":
        return ("symbolic", value[2])
    return tuple([_in_terms(each) for each in value])


def _hash(*parts: Any) -> int:
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=16).digest(), "big")
