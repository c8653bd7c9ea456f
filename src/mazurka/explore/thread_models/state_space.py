"""The runs of a program, as far as its threads' automata are known: a search over joint states.

A state is the local state of each thread and the content of memory. From it every enabled thread may move; steps that
are no points follow at once, as in a run (protocol.py). States reached along several paths are entered once. Only a
*persistent set* of the enabled threads moves (persistent_sets.py), which keeps all terminal states. Of a thread that
has ended only its effects matter: unless ``classes`` are asked for, its history is forgotten.

A move that is not known is *open*: it has to be executed. When its run has been learnt the search goes on there. The
set of places that a thread is known to touch grows with that, so sets chosen before may be too small: at the end,
states with threads of which more has become known are visited again, until there are none. Then every run of the
program is covered: sets chosen by the final knowledge are persistent, and every state along every run has been entered.

The end of the program is no move. It may come at any moment at which the threads that it waits for have ended: others,
daemons or detached ones, stand anywhere then, and no step follows. The end writes no location that a thread reads; all
it does to the others is to take their steps away. So each execution is a beginning of one that ends as late as it can,
after all steps of all threads, and nothing is missed if only these are searched: what a thread has read, and a failure
of it, is the same in both, and whether threads that the end waits for are stuck is seen where no thread can move any
more. A thread that brings the end about by a step of its own, as ``os._exit``, takes no further one; the others go on,
and the end waits for none of them.

States are visited in the order of the number of preemptions on the path to them. The search is made in small parts
(:meth:`StateSpace.go_on`), between which runs can be learnt.

Cost: five to ten microseconds and a few hundred bytes per state and move.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.cycles import bottoms, tour
from mazurka.explore.thread_models.local_state import LocalState
from mazurka.explore.thread_models.persistent_sets import persistent
from mazurka.explore.thread_models.simulator import Gap, Simulator, UnexploredTransition

#: The identity of a deadlock; see :meth:`StateSpace._deadlock`.
Deadlock = tuple[Any, ...]

#: The least number of places by which memory grows.
_ROOM: Final = 32

#: The number of states that are expanded in one part of the search.
_SOME: Final = 200


class JointState:
    """A joint state, and the path to it."""

    __slots__ = ("after", "last", "memory", "moments", "moved", "origin", "seen", "switches", "whole")

    def __init__(
        self, moments: tuple[int, ...], memory: tuple[int, ...], origin: JointState | None, last: int, switches: int
    ) -> None:
        self.moments = moments
        self.memory = memory
        self.origin = origin
        self.last = last  # the thread whose move led to it
        self.switches = switches
        self.moved = 0  # the threads whose moves from here have been followed, as bits
        self.whole = False  # whether all enabled threads have to move
        self.seen = -1  # the growth of the automata when the moving threads were chosen
        self.after: dict[int, JointState] | None = (
            None  # by thread: the state that its move leads to, kept if threads may loop for ever
        )

    def way(self) -> tuple[int, ...]:
        """The threads that moved, from the initial state."""
        found = []
        state = self
        while state.origin is not None:
            found.append(state.last)
            state = state.origin
        return tuple(reversed(found))

    def edges(self) -> Mapping[int, JointState]:
        """The successors of this state by the moving thread, if threads may loop for ever."""
        return self.after or {}

    def following(self) -> Collection[JointState]:
        """The successors of this state, if threads may loop for ever."""
        return self.edges().values()


class StateSpace(Simulator):
    """The search: call :meth:`go_on` while it returns true; :meth:`open_move` and :meth:`ending` give the next
    execution."""

    def __init__(self, behaviour: ThreadAutomata, classes: bool = False) -> None:
        super().__init__(behaviour, classes)
        self.reset()

    def reset(self) -> None:
        """Forget all joint states, and start from the initial one."""
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], JointState] = {}
        self.work: list[deque[JointState]] = []
        self.again: Iterator[JointState] = iter(())  # states to be visited again
        self.opens: deque[tuple[JointState, int, Gap]] = deque()
        self.stalled: dict[Gap, list[tuple[JointState, int]]] = {}
        self.refused: set[tuple[JointState, int]] = set()
        self.endings: dict[tuple[int, ...], JointState] = {}
        self.expiries: set[tuple[int, ...]] = set()  # states that were only left by a timeout
        self.asked: set[tuple[int, ...]] = set()  # terminal states handed out to be executed
        self.looking: Iterator[list[JointState]] | None = None  # the search for components that no thread can leave
        self.bottoms: list[list[JointState]] = []  # the components found so far
        self.left_out: list[JointState] = []  # states in which other threads have to move, too
        self.rounds: set[JointState] = set()  # states of components handed out to be executed
        self.ends.clear()
        self.ended: set[tuple[int, ...]] = set()  # the local states in which runs ended
        self.expired: dict[tuple[int, ...], int] = {}  # local states in which a timeout fired -> its thread
        self.deadlocks: set[Deadlock] = set()  # the deadlocks in which runs ended
        self.room = 0
        self._seen_growth = -1
        self._ends_seen = 0
        self._begin()

    # -- states -------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Enter the state in which the first thread stands before its first point."""
        self._make_room()
        memory = self._first_memory()
        try:
            moments = self._first_moments(memory)
        except UnexploredTransition:
            return  # no run has been made yet
        self._enter(tuple(moments), tuple(memory), None, -1, 0)

    def _first_memory(self) -> list[int]:
        initial = self.behaviour.initial
        return initial + [0] * (self.room - len(initial))

    def _make_room(self) -> None:
        """Enlarge the memory of all states if there are more places."""
        count = len(self.behaviour.places)
        if count <= self.room:
            return
        more = (0,) * max(count + _ROOM - self.room, self.room)
        self.room += len(more)
        states, self.known = self.known, {}
        for state in states.values():
            state.memory += more
            self.known[state.moments, state.memory] = state

    def _enter(
        self, moments: tuple[int, ...], memory: tuple[int, ...], origin: JointState | None, last: int, switches: int
    ) -> None:
        key = (moments, memory)
        state = self.known.get(key)
        if state is None:
            state = self.known[key] = JointState(moments, memory, origin, last, switches)
            self._put(state)
        if origin is not None and self.behaviour.cyclic:
            if origin.after is None:
                origin.after = {}
            origin.after[last] = state

    def _put(self, state: JointState) -> None:
        """Queue a state to be expanded, perhaps again."""
        state.seen = -1
        while len(self.work) <= state.switches:
            self.work.append(deque())
        self.work[state.switches].append(state)

    # -- moving -------------------------------------------------------------------------------------------------------

    def _follow(self, state: JointState, thread: int, alone: bool) -> None:
        """Enter the state that a thread's move leads to, or note that the move is open."""
        try:
            moments, memory = self._after(state, thread)
        except UnexploredTransition as unknown:
            if unknown.gap in self.stalled:
                self.stalled[unknown.gap].append((state, thread))
            else:
                self.stalled[unknown.gap] = [(state, thread)]
                self.opens.append((state, thread, unknown.gap))
            return
        self._enter(moments, memory, state, thread, state.switches + (not alone))

    def _after(self, state: JointState, thread: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The local states and the memory that a thread's move leads to."""
        moments, memory = list(state.moments), list(state.memory)
        self._pass(moments, memory, thread)
        return tuple(moments), tuple(memory)

    # -- searching ----------------------------------------------------------------------------------------------------

    def open_move(self) -> tuple[tuple[int, ...], Gap] | None:
        """The threads that move on the path to an unexplored step, including that of the step, and the gap; None if
        none is known."""
        self.catch_up()
        while self.opens:
            state, thread, gap = self.opens.popleft()
            if self._is_open(state, thread, gap):
                return (*state.way(), thread), gap
            self.learnt(gap)  # the run of another gap has shown it
        return None

    def _is_open(self, state: JointState, thread: int, gap: Gap) -> bool:
        try:
            self._after(state, thread)
        except UnexploredTransition as unknown:
            return unknown.gap == gap
        return False

    def go_on(self) -> bool:
        """Enter some more states, up to the next open move; false if there are none left."""
        self.catch_up()
        for _ in range(_SOME):
            state = self._next_state()
            if state is not None:
                if self._is_outdated(state):
                    self.looking = None
                    self._expand(state)
            elif self._seen_growth != self.behaviour.growth:
                self._seen_growth = self.behaviour.growth
                self.expiries.clear()
                self.look_again()
            else:
                return self._look_at_rounds()
            if self.opens:
                break
        return True

    def _next_state(self) -> JointState | None:
        for level in self.work:
            if level:
                return level.popleft()
        return next(self.again, None)

    def look_again(self) -> None:
        """Visit states again, as more may have become known about their threads."""
        self.again = iter(list(self.known.values()))

    def _is_outdated(self, state: JointState) -> bool:
        every, seen = self.behaviour.moments, state.seen
        return seen < self.behaviour.changed or any(n >= 0 and every[n].grown > seen for n in state.moments)

    def _expand(self, state: JointState) -> None:
        standing, enabled = self._standing(state)
        state.seen = self.behaviour.growth
        if not enabled:
            self._idle(state)
            return
        moving = enabled if state.whole or len(enabled) == 1 else persistent(standing, enabled, state.last)
        for thread in moving:
            if not state.moved >> thread & 1:
                state.moved |= 1 << thread
                self._follow(state, thread, thread == state.last or state.last not in enabled)

    def _standing(self, state: JointState) -> tuple[list[LocalState], list[int]]:
        """The local states of the threads that have not ended, themselves or the program, and the enabled threads."""
        every, memory = self.behaviour.moments, state.memory
        standing, enabled = [], []
        for thread, number in enumerate(state.moments):
            if number < 0:
                continue
            moment = every[number]
            if moment.done or moment.leaves:
                continue
            standing.append(moment)
            if moment.point and (not (moment.waits or moment.refused) or moment.enabled(memory)):
                enabled.append(thread)
        if self.refused:
            enabled = [thread for thread in enabled if (state, thread) not in self.refused]
        return standing, enabled

    def _idle(self, state: JointState) -> None:
        """No thread is enabled: a terminal state, unless a timeout fires."""
        thread = self.expired.get(state.moments)
        if thread is None:
            self.endings.setdefault(state.moments, state)
        else:
            self.expiries.add(state.moments)
            if not state.moved >> thread & 1:
                state.moved |= 1 << thread
                self._follow(state, thread, True)

    def is_stuck(self, moments: tuple[int, ...]) -> bool:
        """Whether a thread that the program's end waits for has not ended, where no order leads on to its end."""
        every = [self.behaviour.moments[number] for number in moments if number >= 0]
        if any(moment.leaves for moment in every):
            return False
        keeps = any(moment.keeps for moment in every)
        return any(not moment.done and (keeps or not moment.daemon) for moment in every)

    # -- where runs have ended ----------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Take over new ends of runs, and new places, from the automata."""
        behaviour = self.behaviour
        self._make_room()
        for moments in islice(reversed(behaviour.ended), len(behaviour.ended) - self._ends_seen):
            self.ended.add(self._alike(moments))
            if self.is_stuck(moments):
                self.deadlocks.add(self._deadlock(moments))
        self._ends_seen = len(behaviour.ended)
        if len(self.expired) != len(behaviour.expired):
            self.expired = {self._alike(moments): thread for moments, thread in behaviour.expired.items()}

    def _alike(self, moments: tuple[int, ...]) -> tuple[int, ...]:
        """The local states of a run's threads, with those of ended threads replaced by their representatives."""
        if self.classes:
            return moments
        every = self.behaviour.moments
        return tuple([self._end_of(every[n]) if n >= 0 and every[n].done else n for n in moments])

    # -- going round --------------------------------------------------------------------------------------------------

    def _look_at_rounds(self) -> bool:
        """Search for components that no thread can leave; if persistent sets have left threads out there, let these
        move, too. False if the search is finished."""
        if self.looking is None:
            nodes = list(self.known.values()) if self.behaviour.cyclic else []
            self.looking, self.bottoms = bottoms(nodes, JointState.following), []
        component = next(self.looking, None)
        if component is None:
            for state in self.left_out:
                self._put(state)
            self.left_out.clear()
            return any(self.work)
        moving = {state: len(enabled) for state in component if (enabled := self._standing(state)[1])}
        if moving and not self._is_doomed(component[-1]):
            if self.is_stuck(component[-1].moments):  # otherwise the end of the program comes
                self.bottoms.append(component)
            if not any(state.moved.bit_count() >= count for state, count in moving.items()):
                component[-1].whole = True
                self.left_out.append(component[-1])
        return True

    def _is_doomed(self, state: JointState) -> bool:
        """Whether an assumption of the program does not hold: an execution that comes there is none of its own."""
        every = self.behaviour.moments
        return any(number >= 0 and every[number].doomed for number in state.moments)

    def round(self) -> tuple[tuple[int, ...], list[int]] | None:
        """The threads that move on the path to loops that no thread can leave, and on a tour there with all enabled
        threads; None if no such run is left to be made."""
        while self.bottoms:
            component = self.bottoms.pop()
            if self.rounds.isdisjoint(component):
                self.rounds.update(component)
                first = min(component, key=lambda state: state.switches)
                return first.way(), tour(first, JointState.edges)
        return None

    def ending(self) -> JointState | None:
        """The next of the terminal states, if no run has ended in it yet."""
        moments, state = self.endings.popitem()
        if self._standing(state)[1]:  # by now more is known about the conditions for which its threads wait
            self._put(state)
            return None
        return state if moments not in self.ended and moments not in self.asked else None

    def is_unfinished(self) -> bool:
        """Whether there are states left to expand."""
        return any(self.work)

    def is_news(self, state: JointState) -> bool:
        """Whether no run has ended in the same deadlock."""
        return self.is_stuck(state.moments) and self._deadlock(state.moments) not in self.deadlocks

    def _deadlock(self, moments: tuple[int, ...]) -> Deadlock:
        """The identity of a deadlock: the stuck threads, their locations, and the sites at which their locks were
        acquired."""
        every = [self.behaviour.moments[number] for number in moments if number >= 0]
        stuck = [moment for moment in every if not moment.done]
        awaited = {place for moment in stuck for place in moment.looks}
        held = [(moment.thread, *each) for moment in every for each in moment.held if each[0] in awaited]
        if not (all(moment.waits and moment.site for moment in stuck) and all(site for *_, site in held)):
            return moments
        waiting = [(moment.thread, moment.site, *moment.looks) for moment in stuck]
        return (*sorted(waiting), (-1,), *sorted(held))

    # -- results ------------------------------------------------------------------------------------------------------

    def learnt(self, gap: Gap) -> None:
        """Go on from all states that waited for this step, which has been executed."""
        self._make_room()
        for state, thread in self.stalled.pop(gap, ()):
            state.moved &= ~(1 << thread)
            self._put(state)

    def give_up(self, gap: Gap) -> None:
        """Give up a step, whose effect remains unknown."""
        self.refused.update(self.stalled.pop(gap, ()))

    def refuse(self, gap: Gap) -> None:
        """Note that the thread could not move, so that it can't in the states from which it was tried."""
        waiting = self.stalled.pop(gap, [])
        for state, thread in waiting[:1]:
            moment = self.behaviour.moments[state.moments[thread]]
            if moment.looks:
                moment.refused.add(tuple([(place, state.memory[place]) for place in moment.looks]))
            else:
                self.refused.add((state, thread))
        for state, thread in waiting:
            state.moved &= ~(1 << thread)
            self._put(state)
