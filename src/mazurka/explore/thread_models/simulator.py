"""Simulation of threads by their automata: from one point to the next, steps without a point at once (protocol.py).

It is used by the search of joint states (state_space.py). A joint state is a local state for each thread (negative: it
has not been started) and the values in memory, by place; both are changed in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.local_state import LocalState

#: An unexplored transition: a local state, and the values of the places that it is known to read, or its call's result.
Gap = tuple[int, ...]


class UnexploredTransition(Exception):
    """The next step is one that no run has made."""

    def __init__(self, moment: LocalState, memory: Sequence[int]) -> None:
        if moment.call is not None:
            self.gap: Gap = (moment.number, moment.call.outcome(memory[moment.call.place])[0])
            return
        places = sorted({place for group in moment.groups for place in group})
        self.gap = (moment.number, *[memory[place] for place in places])


class Simulator:
    """Moves threads. Unless ``classes`` are distinguished, only the effects of an ended thread count, not its
    history."""

    def __init__(self, behaviour: ThreadAutomata, classes: bool) -> None:
        self.behaviour = behaviour
        self.classes = classes
        self.ends: dict[tuple[object, ...], int] = {}  # the effects of a thread that has ended -> its local state

    def may_mislead(self, moments: Iterable[int]) -> bool:
        """Whether threads touched objects that are not known to be different."""
        every, things = self.behaviour.moments, 0
        for number in moments:
            if number >= 0:
                things |= every[number].things
        return self.behaviour.company.strangers(things)

    def _first_moments(self, memory: list[int]) -> list[int]:
        """The local states in which the first thread stands before its first point."""
        moments = [self.behaviour.root(0).number]
        self._run_on(moments, memory, 0)
        self._settle(moments, memory)
        return moments

    def _pass(self, moments: list[int], memory: list[int], thread: int) -> None:
        """Let a thread pass the point before which it stands."""
        self._apply(moments, memory, thread)
        self._run_on(moments, memory, thread)
        self._settle(moments, memory)

    def _apply(self, moments: list[int], memory: list[int], thread: int) -> None:
        """Make the step before which a thread stands."""
        moment = self.behaviour.moments[moments[thread]]
        move = moment.move(memory)
        if move is None:
            raise UnexploredTransition(moment, memory)
        for place, value in move.writes:
            memory[place] = value
        lands = move.lands
        moments[thread] = self._end_of(lands) if lands.done and not self.classes else lands.number
        if move.forks >= 0:
            while len(moments) <= move.forks:
                moments.append(-1)
            moments[move.forks] = self.behaviour.root(move.forks).number
            self._run_on(moments, memory, move.forks)

    def _end_of(self, moment: LocalState) -> int:
        """The representative of a thread's end for all histories with the same objects and the same locks, after which
        the program waits for the same threads."""
        return self.ends.setdefault((moment.thread, moment.things, moment.held, moment.keeps), moment.number)

    def _run_on(self, moments: list[int], memory: list[int], thread: int) -> bool:
        """Go on up to the thread's next point, or until it has to wait or loops for ever; returns whether it moved."""
        every, moved = self.behaviour.moments, False
        before: list[tuple[int, ...]] = []
        while True:
            moment = every[moments[thread]]
            if moment.point or moment.done:
                return moved
            if moment.point is None:
                raise UnexploredTransition(moment, memory)
            if not moment.enabled(memory):
                return moved
            if self.behaviour.cyclic:
                here = (moment.number, *memory)
                if here in before:
                    return here != before[0]
                before.append(here)
            self._apply(moments, memory, thread)
            moved = True

    def _settle(self, moments: list[int], memory: list[int]) -> None:
        """Let all threads go on whose next step is no point and has become possible."""
        every, again = self.behaviour.moments, True
        while again:
            again = False
            for thread in range(len(moments)):
                number = moments[thread]
                if number >= 0:
                    moment = every[number]
                    if not (moment.point or moment.done):
                        again = self._run_on(moments, memory, thread) or again
