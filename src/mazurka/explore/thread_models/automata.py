"""Automata of a program's threads, learnt from its runs: for each thread, its next step after each history of reads.

A thread is deterministic in its reads (the local determinism axiom of the maximal causal model, dissertation ch.
3.1): its history, the values its steps have read so far, fixes its next step. So the runs made so far are a tree per
thread. A node (:class:`LocalState`) stands for a history, an edge (:class:`Transition`) for a step that read certain
values; its writes are then fixed, too. The trees represent more runs than have been made: any combination of moves that
the values in memory allow is a run of the program (:mod:`mazurka.explore.thread_models.state_space`).

Values. A read sees a number that stands for a value; numbers are equal only if the values are. The number stands for

- the key of the value, if it is recorded (:attr:`Plan.values`): then reads of equal values lead to the same local
  state, from any writer;
- otherwise the thread that wrote it and its history, which determine the value.

- A free lock has the number for "never written"; a held lock, an ended thread and a wake-up have numbers of their
  own: the previous holder of a lock, the waker, and the steps of a joined thread are not distinguished. But if code
  that is not instrumented uses a primitive (`queue`, `concurrent.futures`), the thread that released it and its
  history count, since the data that it guards is not tracked.
- A condition holds the queue of the threads that wait for it.
- An object whose calls are one step each holds its abstract state, and a call reads its own result (calls.py).

Places. A *place* is the number of a location that several threads access and one writes; others do not count. Objects
are numbered per run, and an object may get another number in another run; but a history fixes the object that a step
touches, so the numbers of a run are translated by the local states that touch them (run_learner.py). If a run shows
that two objects of ours are one, that a location is contended after all, or its initial value, the trees are learnt
again from the runs, which are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from mazurka.explore.thread_models.aliasing import Aliasing, bits
from mazurka.explore.thread_models.calls import AbstractStates
from mazurka.explore.thread_models.compressed_runs import CompressedRun, Record
from mazurka.explore.thread_models.local_state import LocalState, Transition
from mazurka.explore.thread_models.private_state import LoopHeadState
from mazurka.explore.thread_models.values import FIRST, HELD, RESERVED, Seen
from mazurka.trace.event import Op


class ThreadAutomata:
    """The trees of all threads, and the numbering of places, values and threads in them."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.threads: list[str] = []
        self.thread_numbers: dict[str, int] = {}
        self.stale = False  # whether the trees have to be learnt again
        self.unread: deque[Record] = deque()  # the runs that remain to be read again for that
        self.unsure = False  # whether steps may depend on more than reads: on the time, or on untracked state
        self._touchers: dict[Any, tuple[str, bool] | None] = {}  # location -> (its only thread, written?), or contended
        self._aliases: dict[int, int] = {}  # objects that turned out to be another one
        self._held: set[Any] = set()  # locks that were held at first
        self._opaque: set[Any] = set()  # primitives that code uses that is not instrumented
        self._first: dict[Any, Any] = {}  # the initial values of locations
        self._objects = 0
        self.clear()

    def clear(self) -> None:
        """Forget the trees, but not the runs, nor the knowledge of locations and objects."""
        self.stale = False
        self.moments: list[LocalState] = []
        self.roots: dict[int, LocalState] = {}
        self.places: dict[Any, int] = {}
        self.initial: list[int] = []  # by place: its initial value
        self.values: dict[Any, int] = {}
        self._written: set[tuple[Any, Any]] = set()  # (location, key) of writes
        self.abstract = AbstractStates(self.value)
        # (local state, index of the object touched from there, values read by the step before) -> object
        self.touched: dict[tuple[Any, ...], int] = {}
        self.began_with: dict[Any, int] = {}  # location -> the object that it holds before any write
        self.company = Aliasing()
        self.ended: dict[tuple[int, ...], Record] = {}  # by local states of the threads: a run that ended in them
        self.expired: dict[tuple[int, ...], int] = {}  # local states in which a timeout fired -> its thread
        # States of threads at the heads of loop iterations -> the local states there.
        self.passes: dict[Any, LoopHeadState] = {}
        self.loops: dict[Any, int] = {}  # loops, by the local state in which a thread came to them
        self.cyclic = False  # whether a thread came back to a local state
        self.astray = 0  # steps that differ from earlier ones after the same history
        self.growth = 0  # how often an access or a condition of a local state became known
        self.changed = 0  # the growth when a fact about all threads became known last

    def recall(self, packed: bytes, idle: int, refused: str) -> None:
        """Add a run of the saved search; :func:`.learning.relearn` makes the trees."""
        self.records.append(Record(CompressedRun.read(packed), idle, refused))
        self.stale = True

    def is_behind(self) -> bool:
        """Whether there are runs that are not in the trees yet."""
        return self.stale or bool(self.unread)

    # -- numbering ----------------------------------------------------------------------------------------------------

    def thread(self, name: str) -> int:
        """The number of a thread, given when it is first asked for."""
        number = self.thread_numbers.get(name)
        if number is None:
            number = self.thread_numbers[name] = len(self.threads)
            self.threads.append(name)
        return number

    def root(self, thread: int) -> LocalState:
        """The local state before a thread's first step."""
        found = self.roots.get(thread)
        if found is None:
            found = self.roots[thread] = self._moment(thread, [])
        return found

    def _moment(self, thread: int, above: list[LocalState]) -> LocalState:
        made = LocalState(len(self.moments), thread, above)
        self.moments.append(made)
        return made

    def place(self, location: Any) -> int:
        """The number of a location; its initial value gets a number, too."""
        number = self.places.get(location)
        if number is None:
            number = self.places[location] = len(self.places)
            self.initial.append(HELD if location in self._held else FIRST)
        return number

    def value(self, key: Any) -> int:
        """The number of a value, given by its key; numbers below ``RESERVED`` stand for no value of a program."""
        number = self.values.get(key)
        if number is None:
            number = self.values[key] = len(self.values) + RESERVED
        return number

    # -- objects ------------------------------------------------------------------------------------------------------

    def new_object(self) -> int:
        """The number of an object that no run has shown before."""
        self._objects += 1
        return self._objects

    def find(self, thing: int) -> int:
        """The object that this one turned out to be."""
        while thing in self._aliases:
            thing = self._aliases[thing]
        return thing

    def same(self, one: int, other: int) -> None:
        """Note that two objects turned out to be one."""
        self._aliases[max(one, other)] = min(one, other)
        self.stale = True

    # -- places -------------------------------------------------------------------------------------------------------

    def contended(self, location: Any, thread: str, writes: bool, at_once: bool) -> bool:
        """Note an access; true if the location is contended: several threads access it and one writes it.

        ``at_once``: it is contended in the run of this access.
        """
        known = self._touchers.get(location, _UNKNOWN)
        if known is None:
            return True
        if known is _UNKNOWN:
            self._touchers[location] = None if at_once else (thread, writes)
            return at_once
        only, written = known
        several = only != thread
        if at_once or several and (written or writes):
            self._touchers[location] = None
            return self._outdated()
        if several or writes != written:
            self._touchers[location] = ("" if several else only, written or writes)
        return False

    def is_contended(self, location: Any) -> bool:
        """Whether runs so far have shown several threads at the location, one of them writing."""
        return self._touchers.get(location, _UNKNOWN) is None

    def _outdated(self) -> bool:
        self.stale = True
        return True

    def saw_first(self, location: Any, key: Any) -> None:
        """Note that a read saw ``key`` in a location without a write, so that it is the initial value."""
        if self.stale:
            return  # writes of it may have been left out
        if location not in self._first:
            self._first[location] = key
            self.stale |= (location, key) in self._written
        elif self._first[location] not in (key, _UNKNOWN):
            self._first[location] = _UNKNOWN  # not the same in all runs: then no value equals it
            self.stale = True

    def written(self, location: Any, key: Any) -> int:
        """The number of a value written; the initial value of a location counts as never written."""
        self._written.add((location, key))
        return FIRST if self._first.get(location) == key else self.value(key)

    def is_opaque(self, location: Any) -> bool:
        """Whether code that is not instrumented uses a primitive, which may hand over data that is not tracked."""
        return location in self._opaque

    def used_unseen(self, location: Any) -> None:
        """Note that code that is not instrumented uses a primitive."""
        if location not in self._opaque:
            self._opaque.add(location)
            self.stale = True

    def was_held(self, location: Any) -> None:
        """Note that a lock turned out to be held at first."""
        if self.stale:
            return
        self._held.add(location)
        self.stale = True

    # -- moves --------------------------------------------------------------------------------------------------------

    def extend(
        self, moment: LocalState, seen: Seen, writes: Sequence[tuple[int, int | None]], forks: int
    ) -> Transition:
        """Add a transition; a written value of None is new, and identified by its writer."""
        to = self._moment(moment.thread, [moment])
        numbered = tuple([(p, self.value(("by", to.number)) if value is None else value) for p, value in writes])
        to.held, to.daemon = _held(moment, numbered), moment.daemon
        move = moment.moves[seen] = Transition(numbered, forks, to)
        group = tuple([place for place, _ in seen])
        if group not in moment.groups:
            moment.groups.append(group)
        read, written = bits(group), bits([place for place, _ in writes])
        self._touches(moment, read, written)
        if forks >= 0:
            root = self.root(forks)
            root.above.append(moment)
            self._reaches(moment, *root.reach)
            if _goes_along(root):
                self._touches(moment, *root.near)
        return move

    def expects(self, moment: LocalState, looks: tuple[int, ...], waits: bool, read: int, written: int) -> None:
        """Note that the next step, which no run has made, looks at these places."""
        if (looks, waits and bool(looks)) != (moment.looks, moment.waits):
            moment.expects(looks, waits)
            self._grows(moment)
        self._touches(moment, read, written)

    def returns(self, above: LocalState, move: Transition, to: LocalState) -> None:
        """Note that a transition leads back to a local state."""
        if move.lands is to:
            return
        move.lands = to
        to.things |= move.to.things
        to.above.append(above)
        self._reaches(above, *to.reach)
        if _goes_along(to):
            self._touches(above, *to.near)
        self.cyclic = True

    def _touches(self, moment: LocalState, read: int, written: int) -> None:
        """Note that the step of a local state touches these places; so does the step before, if this one goes along
        with it."""
        work = [moment]
        while work:
            at = work.pop()
            near = (at.near[0] | read, at.near[1] | written)
            if near != at.near:
                at.near = near
                self._grows(at)
                if _goes_along(at):
                    work += at.above
        self._reaches(moment, read, written)

    def _grows(self, moment: LocalState) -> None:
        self.growth += 1
        moment.grown = self.growth

    def idles(self, moment: LocalState) -> None:
        """Note that a thread loops for ever from here, without an effect that others observe."""
        if moment.point is None:
            moment.point = False
            moment.refused.add(())
            self._grows(moment)

    def concerns_all(self) -> None:
        """Note a fact that may concern any thread."""
        self.growth += 1
        self.changed = self.growth

    def _reaches(self, moment: LocalState, read: int, written: int) -> None:
        """Note that these places are touched from a local state on, and so from all local states before it."""
        work = [moment]
        while work:
            at = work.pop()
            reach = (at.reach[0] | read, at.reach[1] | written)
            if reach != at.reach:
                self._grows(at)
                at.reach = reach
                work.extend(at.above)


def _goes_along(moment: LocalState) -> bool:
    """Whether a thread makes the next step together with the point before it, although others may touch the same
    places: a finaliser of an object that the step drops, for instance. (Releases of locks, and begins, commute with
    steps of others.)"""
    return (
        moment.point is False
        and bool(moment.moves)
        and (moment.op is Op.RMW or moment.op is Op.WRITE or moment.op is Op.READ)
    )


def _held(moment: LocalState, writes: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The locks a thread holds after a transition."""
    held = moment.held
    for place, value in writes:
        if held and value != HELD:
            held = tuple([each for each in held if each[0] != place])
        elif value == HELD:
            held = (*held, (place, moment.site))
    return held


_UNKNOWN: Final[Any] = object()
