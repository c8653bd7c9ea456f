"""Automata of a program's threads, learnt from its runs: for each thread, its next step after each history of reads.

A thread is deterministic in its reads (the local determinism axiom of the maximal causal model, dissertation ch.
3.1): its history, the values its steps have read so far, fixes its next step. So the runs made so far are a tree per
thread. A node (:class:`LocalState`) stands for a history, an edge (:class:`Transition`) for a step that read certain
values; its writes are then fixed, too. The trees know more than the runs: any combination of moves that the values in
memory allow is a run of the program (:mod:`mazurka.explore.thread_models.state_space`).

Values. What a read sees is a number standing for a value, equal only if the values are:

- of a recorded value (:attr:`Plan.values`), its key: then reads of equal values lead to the same local state, from any
  writer;
- else the thread that wrote it and its history, which determine the value;
- a free lock has the number of what was never written, a held one, an ended thread and a wake-up numbers of their own:
  the previous holder of a lock, the waker, and the steps of a joined thread are not distinguished; but where code that
  is not instrumented uses a primitive (`queue`, `concurrent.futures`), the thread that released it and its history
  count, since the data it guards is not tracked;
- a condition holds the queue of the threads that wait for it;
- an object whose calls are one step each holds its abstract state, and a call reads its own result (calls.py).

Places. Only locations count that several threads access and one writes. Objects are numbered per run, and an
object may get another number in another run; but a history fixes which object a step touches, so the numbers of a run
are translated by the moments that touch them (run_learner.py). Where a run shows that two objects of ours are one, that
a location is contended after all, or its initial value, the trees are learnt again from the runs, which are kept.
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
from mazurka.program.protocol import Run
from mazurka.trace.event import Op


class ThreadAutomata:
    """The trees of all threads, and the numbering of places, values and threads that they speak in."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.threads: list[str] = []
        self.thread_numbers: dict[str, int] = {}
        self.stale = False  # the trees have to be learnt again
        self.unread: deque[Record] = deque()  # from these runs, after some that have been read again
        self.unsure = False  # threads' steps may depend on more than their reads: on the time, or on untracked state
        self._touchers: dict[Any, tuple[str, bool] | None] = {}  # location -> (its only thread, written?), or contended
        self._aliases: dict[int, int] = {}  # objects that turned out to be others
        self._held: set[Any] = set()  # locks that were held at first
        self._opaque: set[Any] = set()  # primitives that code uses which is not instrumented
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
        self.abstract = AbstractStates(self.value)
        self.touched: dict[tuple[int, int], int] = {}  # (moment, how many-eth it touches from there) -> object
        self.began_with: dict[Any, int] = {}  # location without a write -> the object it holds
        self.company = Aliasing()
        self.daemons: set[int] = set()
        self.ended: dict[tuple[int, ...], Record] = {}  # the moments in which runs ended, by thread
        self.expired: dict[tuple[int, ...], int] = {}  # the same where a waiting time ran out, and whose
        # States of threads at the heads of loop iterations -> their local states.
        self.passes: dict[Any, LoopHeadState] = {}
        self.loops: dict[Any, int] = {}  # loops, by where a thread was when it came to them
        self.cyclic = False  # whether a thread came back to a moment
        self.astray = 0  # steps that differ from those after the same history before
        self.growth = 0  # how often something became known about what moments touch and wait for
        self.changed = 0  # the growth when something became known that concerns all threads

    def note(self, run: Run, ended: tuple[int, ...]) -> None:
        """Keep a run whose steps were all known, up to these local states."""
        record = self.ended[ended] = Record(CompressedRun.of(run), -1, "")
        self.records.append(record)

    def recall(self, packed: bytes, idle: int, refused: str) -> None:
        """Add a run of the saved search; :func:`.learning.relearn` makes the trees of them."""
        self.records.append(Record(CompressedRun.read(packed), idle, refused))
        self.stale = True

    def is_behind(self) -> bool:
        """Whether there are runs from which to make the trees."""
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
        """The moment before a thread's first step."""
        found = self.roots.get(thread)
        if found is None:
            found = self.roots[thread] = self._moment(thread, [])
        return found

    def _moment(self, thread: int, above: list[LocalState]) -> LocalState:
        made = LocalState(len(self.moments), thread, above)
        self.moments.append(made)
        return made

    def place(self, location: Any) -> int:
        """The number of a location; the location's initial value gets a number with it."""
        number = self.places.get(location)
        if number is None:
            number = self.places[location] = len(self.places)
            self.initial.append(HELD if location in self._held else FIRST)
        return number

    def value(self, key: Any) -> int:
        """The number of a value by its key; numbers below ``RESERVED`` stand for no value of a program."""
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
        """The object that this one has turned out to be."""
        while thing in self._aliases:
            thing = self._aliases[thing]
        return thing

    def same(self, one: int, other: int) -> None:
        """Two objects turned out to be one."""
        self._aliases[max(one, other)] = min(one, other)
        self.stale = True

    # -- places -------------------------------------------------------------------------------------------------------

    def contended(self, location: Any, thread: str, writes: bool, at_once: bool) -> bool:
        """Note an access; true if several threads access the location and one writes it.

        ``at_once``: they do in the run of this access.
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
        """A read saw ``key`` in a location without a write: so that is its initial value."""
        if self.stale:
            return  # writes may have been left out
        if location not in self._first:
            self._first[location] = key
            self.stale |= key in self.values
        elif self._first[location] not in (key, _UNKNOWN):
            self._first[location] = _UNKNOWN  # not the same in all runs: then nothing equals it
            self.stale = True

    def written(self, location: Any, key: Any) -> int:
        """The number of a value written; the initial value of a location counts as never written."""
        return FIRST if self._first.get(location) == key else self.value(key)

    def is_opaque(self, location: Any) -> bool:
        """Whether code that is not instrumented uses a primitive: then it may hand over more than is seen."""
        return location in self._opaque

    def used_unseen(self, location: Any) -> None:
        """Code that is not instrumented uses a primitive."""
        if location not in self._opaque:
            self._opaque.add(location)
            self.stale = True

    def was_held(self, location: Any) -> None:
        """A lock turned out to have been held at first."""
        if self.stale:
            return
        self._held.add(location)
        self.stale = True

    # -- moves --------------------------------------------------------------------------------------------------------

    def extend(
        self, moment: LocalState, seen: Seen, writes: Sequence[tuple[int, int | None]], forks: int
    ) -> Transition:
        """An unknown transition; a value of None is new, and identified by its writer."""
        to = self._moment(moment.thread, [moment])
        numbered = tuple([(p, self.value(("by", to.number)) if value is None else value) for p, value in writes])
        to.held = _held(moment, numbered)
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
        """A step that has not been made yet is known to look at these places."""
        if (looks, waits and bool(looks)) != (moment.looks, moment.waits):
            moment.expects(looks, waits)
            self._grows(moment)
        self._touches(moment, read, written)

    def returns(self, above: LocalState, move: Transition, to: LocalState) -> None:
        """A move turned out to lead back to a moment."""
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
        """The step of a moment touches these places; so does that before it, where this one goes along with it."""
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
        """A thread goes round in a loop from here, and does nothing that others notice."""
        if moment.point is None:
            moment.point = False
            moment.refused.add(())
            self._grows(moment)

    def halts(self, moment: LocalState) -> None:
        """A thread ends the whole program."""
        if not moment.halts:
            moment.halts = True
            self.concerns_all()

    def concerns_all(self) -> None:
        """Something became known that may concern any thread: that one ends the program, or is not waited for."""
        self.growth += 1
        self.changed = self.growth

    def _reaches(self, moment: LocalState, read: int, written: int) -> None:
        """From a moment on these places are touched: so they are from all moments before it."""
        work = [moment]
        while work:
            at = work.pop()
            reach = (at.reach[0] | read, at.reach[1] | written)
            if reach != at.reach:
                self._grows(at)
                at.reach = reach
                work.extend(at.above)


def _goes_along(moment: LocalState) -> bool:
    """Whether a thread makes the next step together with the point before it, though others may touch the same: what
    ends with the object that it lets go of, say. (What gives back locks, or begins, commutes with what others can do.)
    """
    return (
        moment.point is False
        and bool(moment.moves)
        and (moment.op is Op.RMW or moment.op is Op.WRITE or moment.op is Op.READ)
    )


def _held(moment: LocalState, writes: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The locks a thread holds after a move."""
    held = moment.held
    for place, value in writes:
        if held and value != HELD:
            held = tuple([each for each in held if each[0] != place])
        elif value == HELD:
            held = (*held, (place, moment.site))
    return held


_UNKNOWN: Final[Any] = object()
