"""The nodes and edges of a thread's tree (automata.py): local states between its steps, and the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mazurka.explore.thread_models.values import ENDED, HELD, Seen
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.explore.thread_models.calls import ObjectCall


class Transition:
    """A transition: the writes of the step, the thread it starts (-1: none), and the local state after it.

    If a pass of a loop begins there in the same state as an earlier pass, ``lands`` is the local state of that pass.
    """

    __slots__ = ("forks", "lands", "to", "writes")

    def __init__(self, writes: tuple[tuple[int, int], ...], forks: int, to: LocalState) -> None:
        self.writes = writes
        self.forks = forks
        self.to = to
        self.lands = to


class LocalState:
    """A thread with a certain history, before its next step; ``point`` is None while the step is not known.

    ``groups`` are the sets of places that its transitions read, mostly one. A thread that ``waits`` can't move while
    the first place of ``looks``, which it acquires, is taken; ``refused`` has the values of ``looks`` with which it
    could not move; a ``doomed`` thread stands before an assumption that does not hold; one that ``leaves`` ends the
    program there. ``held`` are the locks the thread holds, and the sites at which it acquired them. The program does
    not wait for a ``daemon`` at its end, unless a thread has ended that ``keeps`` daemons. If the next step is a
    ``call`` of a marked object, the transitions are distinguished by results.
    """

    __slots__ = (
        "above",
        "call",
        "daemon",
        "done",
        "doomed",
        "groups",
        "grown",
        "held",
        "keeps",
        "leaves",
        "looks",
        "moves",
        "near",
        "number",
        "op",
        "point",
        "reach",
        "refused",
        "site",
        "things",
        "thread",
        "waits",
    )

    def __init__(self, number: int, thread: int, above: list[LocalState]) -> None:
        self.number = number
        self.thread = thread
        self.above = above  # the local states before it
        self.op: Op | None = None
        self.call: ObjectCall | None = None
        self.site = 0
        self.point: bool | None = None
        self.done = self.leaves = False
        self.daemon = self.keeps = False
        self.waits = False
        self.doomed = False
        self.moves: dict[Seen, Transition] = {}
        self.groups: list[tuple[int, ...]] = []
        self.looks: tuple[int, ...] = ()
        self.refused: set[Seen] = set()
        self.held: tuple[tuple[int, int], ...] = ()
        self.grown = 0  # the automata's growth when a fact about this local state became known last
        self.things = 0  # the objects the thread has touched, as bits
        self.near = (0, 0)  # places (read, written) by the next step, and by steps that go along with it, as bits
        self.reach = (0, 0)  # places (read, written) from here on

    def enabled(self, memory: Sequence[int]) -> bool:
        """Whether the thread can move, as far as is known."""
        if self.waits:
            held = memory[self.looks[0]]
            if held != ENDED if self.op is Op.JOIN else held == HELD:
                return False
        return not self.refused or tuple([(place, memory[place]) for place in self.looks]) not in self.refused

    def move(self, memory: Sequence[int]) -> Transition | None:
        """The transition for these values in memory; None if it is not known."""
        if self.call is not None:
            return self._called(self.call, memory)
        for group in self.groups:
            found = self.moves.get(tuple([(place, memory[place]) for place in group]))
            if found is not None:
                return found
        return None

    def _called(self, call: ObjectCall, memory: Sequence[int]) -> Transition | None:
        """The transition for the result of a call, which writes the object's next state."""
        result, after = call.outcome(memory[call.place])
        known = self.moves.get(((call.place, result),))
        if known is None:
            return None
        made = Transition(((call.place, after),), known.forks, known.to)
        made.lands = known.lands
        return made

    def expects(self, looks: tuple[int, ...], waits: bool) -> None:
        """Note the condition for the thread to move, which became known, or better known."""
        if looks != self.looks:
            self.looks = looks
            self.refused.clear()
        self.waits = waits and bool(looks)
