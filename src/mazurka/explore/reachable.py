"""The runs a program has, as far as the behaviour of its threads is known: a search over joint states.

A state is the moment each thread is in and what memory holds. From it every thread that can may move; what is no point
follows at once, as in a run (protocol.py). States reached along several ways are entered once. Of the threads that
can move only a *persistent set* does (Godefroid, LNCS 1032, ch. 4, with what threads are known to touch from a moment
on): no other thread will ever do anything that depends on what they do next. That keeps all states nobody can leave.

A move that is not known is an *open* one: somebody has to run it. When its run has been learnt the search goes on
there. What threads are known to touch grows with that, so sets chosen before may be too small: at the end all states
are looked at again until none changes. Then every run of the program has been gone through; for sets chosen by the
final knowledge are persistent, and every state along every run has been entered.

States come in the order of the switches their way needs in which the thread before could have gone on.

Cost: some ten microseconds and a few hundred bytes per state and move.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from mazurka.explore.behaviour import Behaviour, Moment
from mazurka.explore.cycles import bottoms

#: What is not known: a moment, and what the places it is known to look at hold.
Gap = tuple[int, ...]

#: Places memory has room for grow by so many at a time.
_ROOM = 32


class Unknown(Exception):
    """A step that no run has made."""

    def __init__(self, moment: Moment, memory: Sequence[int]) -> None:
        places = sorted({place for group in moment.groups for place in group})
        self.gap: Gap = (moment.number, *[memory[place] for place in places])


class State:
    """A joint state, and the way to it."""

    __slots__ = ("after", "last", "memory", "moments", "moved", "origin", "switches", "whole")

    def __init__(
        self, moments: tuple[int, ...], memory: tuple[int, ...], origin: State | None, last: int, switches: int
    ) -> None:
        self.moments = moments
        self.memory = memory
        self.origin = origin
        self.last = last  # the thread that moved into it
        self.switches = switches
        self.moved = 0  # the threads whose moves from here have been followed, as bits
        self.whole = False  # whether all threads that can move are to
        self.after: list[State] = []  # the states after these moves, where threads may go round in loops

    def way(self) -> tuple[int, ...]:
        """The threads that moved, from the start."""
        found = []
        state = self
        while state.origin is not None:
            found.append(state.last)
            state = state.origin
        return tuple(reversed(found))


class Reachable:
    """The search; ask :meth:`open_move` and :meth:`ending` for what should be run."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.begin_anew()

    def begin_anew(self) -> None:
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], State] = {}
        self.work: list[deque[State]] = []
        self.opens: deque[tuple[State, int, Gap]] = deque()
        self.stalled: dict[Gap, list[tuple[State, int]]] = {}
        self.refused: set[tuple[State, int]] = set()
        self.endings: dict[tuple[int, ...], State] = {}
        self.expiries: set[tuple[int, ...]] = set()  # states that were only left because a waiting time ran out
        self.asked: set[tuple[int, ...]] = set()  # endings that somebody was told to run
        self.rounds: set[State] = set()  # what can be left no more, and somebody was told to run
        self.room = 0
        self._seen_growth = -1
        self._begin()

    # -- states -------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """The state in which the first thread stands before its first point."""
        self._make_room()
        moments, memory = [self.behaviour.root(0).number], self._first_memory()
        try:
            self._run_on(moments, memory, 0)
            self._settle(moments, memory)
        except Unknown:
            return  # nothing has been run yet
        self._enter(tuple(moments), tuple(memory), None, -1, 0)

    def _first_memory(self) -> list[int]:
        initial = self.behaviour.initial
        return initial + [0] * (self.room - len(initial))

    def _make_room(self) -> None:
        """Memory of all states grows when there are more places."""
        count = len(self.behaviour.places)
        if count <= self.room:
            return
        more = (0,) * (count + _ROOM - self.room)
        self.room += len(more)
        states, self.known = self.known, {}
        for state in states.values():
            state.memory += more
            self.known[state.moments, state.memory] = state

    def _enter(
        self, moments: tuple[int, ...], memory: tuple[int, ...], origin: State | None, last: int, switches: int
    ) -> None:
        key = (moments, memory)
        state = self.known.get(key)
        if state is None:
            state = self.known[key] = State(moments, memory, origin, last, switches)
            self._put(state)
        if origin is not None and self.behaviour.cyclic:
            origin.after.append(state)

    def _put(self, state: State) -> None:
        while len(self.work) <= state.switches:
            self.work.append(deque())
        self.work[state.switches].append(state)

    # -- moving -------------------------------------------------------------------------------------------------------

    def _apply(self, moments: list[int], memory: list[int], thread: int) -> None:
        """Make the step a thread stands before."""
        moment = self.behaviour.moments[moments[thread]]
        move = moment.move(memory)
        if move is None:
            raise Unknown(moment, memory)
        for place, value in move.writes:
            memory[place] = value
        moments[thread] = move.lands.number
        if move.forks >= 0:
            while len(moments) <= move.forks:
                moments.append(-1)
            moments[move.forks] = self.behaviour.root(move.forks).number
            self._run_on(moments, memory, move.forks)

    def _run_on(self, moments: list[int], memory: list[int], thread: int) -> bool:
        """Go on up to the thread's next point, or until it has to wait or goes round in a loop; whether it got on."""
        every, moved = self.behaviour.moments, False
        before: list[tuple[int, ...]] = []
        while True:
            moment = every[moments[thread]]
            if self.behaviour.cyclic:
                here = (moment.number, *memory)
                if here in before:
                    return here != before[0]
                before.append(here)
            if moment.done or moment.point:
                return moved
            if moment.point is None:
                raise Unknown(moment, memory)
            if not moment.enabled(memory):
                return moved
            self._apply(moments, memory, thread)
            moved = True

    def _settle(self, moments: list[int], memory: list[int]) -> None:
        """Let all go on whose next step is no point and has become possible."""
        again = True
        while again:
            again = False
            for thread in range(len(moments)):
                if moments[thread] >= 0:
                    again = self._run_on(moments, memory, thread) or again

    def _follow(self, state: State, thread: int, alone: bool) -> None:
        """Enter the state that a thread's move leads to, or note that it is open."""
        try:
            moments, memory = self._after(state, thread)
        except Unknown as unknown:
            if unknown.gap in self.stalled:
                self.stalled[unknown.gap].append((state, thread))
            else:
                self.stalled[unknown.gap] = [(state, thread)]
                self.opens.append((state, thread, unknown.gap))
            return
        self._enter(moments, memory, state, thread, state.switches + (not alone))

    def _after(self, state: State, thread: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The moments and the memory that a thread's move leads to."""
        moments, memory = list(state.moments), list(state.memory)
        self._apply(moments, memory, thread)
        self._run_on(moments, memory, thread)
        self._settle(moments, memory)
        return tuple(moments), tuple(memory)

    # -- searching ----------------------------------------------------------------------------------------------------

    def open_move(self) -> tuple[tuple[int, ...], Gap] | None:
        """The threads that move on the way to a step nobody has made, and that step's; None if there is none."""
        self._make_room()
        while True:
            while self.opens:
                state, thread, gap = self.opens.popleft()
                if self._is_open(state, thread, gap):
                    return (*state.way(), thread), gap
                self.learnt(gap)  # by the run of another
            following = self._next_state()
            if following is None:
                if self._seen_growth != self.behaviour.growth:
                    self.look_again()
                elif not self._look_at_rounds():
                    return None
                continue
            self._expand(following)

    def _is_open(self, state: State, thread: int, gap: Gap) -> bool:
        try:
            self._after(state, thread)
        except Unknown as unknown:
            return unknown.gap == gap
        return False

    def _next_state(self) -> State | None:
        for level in self.work:
            if level:
                return level.popleft()
        return None

    def look_again(self) -> None:
        """What threads are known to touch has grown: the sets that moved may have been too small."""
        self._seen_growth = self.behaviour.growth
        self.expiries.clear()
        for state in list(self.known.values()):
            self._put(state)

    def _expand(self, state: State) -> None:
        enabled = self._enabled(state)
        if not enabled:
            self._idle(state)
            return
        moving = enabled if state.whole else self._persistent(state, enabled)
        for thread in moving:
            if not state.moved >> thread & 1:
                state.moved |= 1 << thread
                self._follow(state, thread, thread == state.last or state.last not in enabled)

    def _idle(self, state: State) -> None:
        """Nobody can move: an ending, unless a waiting time runs out."""
        thread = self.behaviour.expired.get(state.moments)
        if thread is None:
            self.endings.setdefault(state.moments, state)
        else:
            self.expiries.add(state.moments)
            if not state.moved >> thread & 1:
                state.moved |= 1 << thread
                self._follow(state, thread, True)

    def _over(self, state: State) -> bool:
        """Whether the program has ended: a thread has ended it, or only those are left that nobody waits for."""
        every, daemons = self.behaviour.moments, self.behaviour.daemons
        required = False
        for thread, number in enumerate(state.moments):
            if number >= 0:
                moment = every[number]
                if moment.halts:
                    return True
                required = required or not moment.done and thread not in daemons
        return not required

    def is_stuck(self, state: State) -> bool:
        """Whether a thread that somebody waits for has not ended, in a state nobody can leave."""
        every = self.behaviour.moments
        return any(
            number >= 0 and not every[number].done and thread not in self.behaviour.daemons
            for thread, number in enumerate(state.moments)
        )

    def may_mislead(self, state: State) -> bool:
        """Whether threads on the way touched objects that may be one for all that is known."""
        every, things = self.behaviour.moments, 0
        for number in state.moments:
            if number >= 0:
                things |= every[number].things
        return self.behaviour.company.strangers(things)

    def _enabled(self, state: State) -> list[int]:
        every, memory = self.behaviour.moments, state.memory
        found: list[int] = []
        if self._over(state):
            return found
        for thread, number in enumerate(state.moments):
            if number >= 0:
                moment = every[number]
                if moment.point and not moment.done and moment.enabled(memory) and (state, thread) not in self.refused:
                    found.append(thread)
        return found

    def _persistent(self, state: State, enabled: list[int]) -> list[int]:
        """The smallest persistent set found, its threads that can move."""
        if len(enabled) == 1:
            return enabled
        every = self.behaviour.moments
        alive = [t for t, number in enumerate(state.moments) if number >= 0 and not every[number].done]
        near = {t: every[state.moments[t]].near for t in alive}
        reach = {t: every[state.moments[t]].reach for t in alive}
        best = enabled
        for first in sorted(enabled, key=lambda thread: thread != state.last):
            inside, work = {first}, [first]
            while work:
                read, written = near[work.pop()]
                for other in alive:
                    if other not in inside:
                        reads, writes = reach[other]
                        if written & (reads | writes) or read & writes:
                            inside.add(other)
                            work.append(other)
            moving = [thread for thread in enabled if thread in inside]
            if len(moving) < len(best):
                best = moving
            if len(best) == 1:
                break
        return best

    # -- going round --------------------------------------------------------------------------------------------------

    def _look_at_rounds(self) -> bool:
        """Where threads only go round in loops, let the others move, too, if persistent sets have left them out."""
        if not self.behaviour.cyclic:
            return False
        left_out = False
        for component in self._bottoms():
            if not any(state.moved.bit_count() >= len(self._enabled(state)) for state in component):
                component[-1].whole = left_out = True
                self._put(component[-1])
        return left_out

    def _bottoms(self) -> Iterator[list[State]]:
        return bottoms(self.known.values(), lambda state: state.after)

    def round(self) -> State | None:
        """A state from which threads can only go round in loops, if none of its like has been run."""
        if not self.behaviour.cyclic:
            return None
        for component in self._bottoms():
            if self._enabled(component[0]) and self.rounds.isdisjoint(component):
                self.rounds.update(component)
                return min(component, key=lambda state: state.switches)
        return None

    def is_unfinished(self) -> bool:
        """Whether there are states to go on from."""
        return any(self.work)

    def ending(self) -> State | None:
        """A state nobody can leave, in which no run has ended yet."""
        while self.endings:
            moments, state = self.endings.popitem()
            if self._enabled(state):  # more has become known of what its threads wait for
                self._put(state)
                return None
            if moments not in self.behaviour.ended and moments not in self.asked:
                return state
        return None

    # -- what became of it --------------------------------------------------------------------------------------------

    def learnt(self, gap: Gap) -> None:
        """The step was run: go on from all states that waited for it."""
        self._make_room()
        for state, thread in self.stalled.pop(gap, ()):
            state.moved &= ~(1 << thread)
            self._put(state)

    def give_up(self, gap: Gap) -> None:
        """Nobody can tell what the step does."""
        self.refused.update(self.stalled.pop(gap, ()))

    def refuse(self, gap: Gap) -> None:
        """The thread could not move: so it can't in the state it was tried from."""
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
