"""Wake-up trees and sleep sets: the sequences still to be executed from a place in a search, and those covered already.

Definitions (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 64(4), 2017, sections 4 and 6). A thread is a *weak
initial* of a sequence if its first event there has nothing of the sequence before it in the order or, if it has none
there, its next event conflicts with nothing in the sequence: either way, going first makes no difference. A *wake-up
tree* is an ordered tree of events whose leaves are sequences to be run from its place, none of them a beginning of an
execution that begins like an earlier one. The *sleep set* of a place holds the events whose continuations have all
been run.

Invariant: from each leaf's place on, nothing sleeps, because every sleeper conflicts with something on the way there.
So a run that follows a leaf is of a trace not seen before, wherever it goes then.

Departure: an *unsure* node may turn out impossible. It stands for nothing but sequences that contain its event, so
that nothing is left to it that it can't do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mazurka.explore.races import Item, PointEvent


class WakeupNode:
    """An event to be executed, and its continuations; no children: any continuation."""

    __slots__ = ("children", "event", "unsure")

    def __init__(self, event: PointEvent, unsure: bool = False) -> None:
        self.event = event
        self.unsure = unsure
        self.children: list[WakeupNode] = []


@dataclass(slots=True)
class PathFrame:
    """A place on the present path.

    ``event`` is what is being run from here (None: nothing), ``children`` what is still to be, ``asleep`` what needs
    not. ``fruitful`` says that a run has gone through ``event``.
    """

    asleep: list[PointEvent]
    event: PointEvent | None = None
    unsure: bool = False
    children: list[WakeupNode] = field(default_factory=list)
    fruitful: bool = False


@dataclass(frozen=True, slots=True)
class Insertion:
    """A change of a frame's wake-up tree: a new branch ``events`` under the node found by ``path``."""

    depth: int
    path: tuple[int, ...]
    events: tuple[PointEvent, ...]
    unsure: bool


def still_asleep(asleep: Iterable[PointEvent], event: PointEvent) -> list[PointEvent]:
    """What sleeps on after ``event``."""
    return [sleeper for sleeper in asleep if not sleeper.conflicts(event)]


def place_of(frame: PathFrame, depth: int, items: list[Item], unsure: bool) -> Insertion | None:
    """Where a sequence has to be inserted in the wake-up tree of ``frame``; None if it is covered already."""
    if any(_takes_first(sleeper, items, True) is not None for sleeper in frame.asleep):
        return None
    nodes, path = frame.children, []
    descended = True
    while descended:
        descended = False
        for index, node in enumerate(nodes):
            rest = _takes_first(node.event, items, not node.unsure)
            if rest is None:
                continue
            if not node.children:
                return None
            items, nodes, descended = rest, node.children, True
            path.append(index)
            break
    return Insertion(depth, tuple(path), tuple(item.event for item in items), unsure)


def insert(frame: PathFrame, change: Insertion) -> None:
    """Make a change found by :func:`place_of`."""
    nodes = frame.children
    for index in change.path:
        nodes = nodes[index].children
    last = len(change.events) - 1
    for index, event in enumerate(change.events):
        node = WakeupNode(event, change.unsure and index == last)
        nodes.append(node)
        nodes = node.children


def _takes_first(event: PointEvent, items: list[Item], absent: bool) -> list[Item] | None:
    """The sequence without the first event of ``event``'s thread if that is a weak initial of it, else None.

    ``absent`` says whether it may be one without having an event there.
    """
    thread = event.thread
    for index, item in enumerate(items):
        if item.event.thread == thread:
            if any(item.clock[before.task] >= before.ordinal for before in items[:index]):
                return None
            return items[:index] + items[index + 1 :]
    if not absent or any(item.event.conflicts(event) for item in items):
        return None
    return items
