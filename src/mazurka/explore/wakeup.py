"""Wake-up trees and sleep sets: the sequences to be executed from a place in a search, and those already covered.

Definitions (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 64(4), 2017, sections 4 and 6). A thread is a *weak
initial* of a sequence if no event of the sequence happens before its first event there or, if it has none there, its
next event conflicts with no event of the sequence: in both cases it makes no difference if the thread goes first. A
*wake-up tree* is an ordered tree of events whose leaves are sequences to be executed from its place; no leaf is
equivalent to a prefix of an execution that an earlier leaf covers. The *sleep set* of a place holds the events whose
continuations have all been executed.

Invariant: after each leaf no event sleeps, because every sleeping event conflicts with an event on the path to the
leaf. So any run that follows a leaf is of a new trace.

Departures. An *unsure* node may turn out to be impossible. It only covers sequences that contain its event, so that no
other sequence is lost with it. If a node *varies*, the targets that its event touches are not known until it has been
executed: such a node, which is a leaf, covers no other sequences either, and a sequence that ends with such an event is
not covered by an event that might conflict with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from mazurka.explore.races import Item, PointEvent, Reversal
from mazurka.lazy_dataclass import dataclass


class WakeupNode:
    """An event to be executed, and its continuations; without children: any continuation."""

    __slots__ = ("children", "event", "unsure", "varies")

    def __init__(self, event: PointEvent, unsure: bool = False, varies: bool = False) -> None:
        self.event = event
        self.unsure = unsure
        self.varies = varies
        self.children: list[WakeupNode] = []


@dataclass(slots=True)
class PathFrame:
    """A place on the present path.

    ``event`` is the event that is being executed from here (None: none), ``children`` are those still to be executed,
    ``asleep`` those that need not be. ``fruitful``: a run has gone through ``event``.
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
    varies: bool = False


def still_asleep(asleep: Iterable[PointEvent], event: PointEvent) -> list[PointEvent]:
    """The events that remain asleep after ``event``."""
    return [sleeper for sleeper in asleep if not sleeper.conflicts(event)]


def place_of(frame: PathFrame, reversal: Reversal) -> Insertion | None:
    """The insertion of a reversal into the wake-up tree of ``frame``; None if it is covered already."""
    items, varies = reversal.items, reversal.varies
    if any(_takes_first(WakeupNode(sleeper), items, varies) is not None for sleeper in frame.asleep):
        return None
    nodes, path = frame.children, []
    descended = True
    while descended:
        descended = False
        for index, node in enumerate(nodes):
            rest = _takes_first(node, items, varies)
            if rest is None:
                continue
            if not node.children:
                return None
            items, nodes, descended = rest, node.children, True
            path.append(index)
            break
    events = tuple([item.event for item in items])
    return Insertion(reversal.depth, tuple(path), events, reversal.unsure, varies)


def insert(frame: PathFrame, change: Insertion) -> None:
    """Make a change found by :func:`place_of`."""
    nodes = frame.children
    for index in change.path:
        nodes = nodes[index].children
    last = len(change.events) - 1
    for index, event in enumerate(change.events):
        node = WakeupNode(event, change.unsure and index == last, change.varies and index == last)
        nodes.append(node)
        nodes = node.children


def _takes_first(node: WakeupNode, items: list[Item], varies: bool) -> list[Item] | None:
    """The sequence without the first event of the node's thread if that thread is a weak initial, otherwise None.

    ``varies``: the targets of the sequence's last event are not known.
    """
    event, last = node.event, len(items) - 1
    for index, item in enumerate(items):
        if item.event.thread == event.thread:
            if varies and index == last:
                independent = not index or not (node.varies or _conflict(event, items[:index]))
            else:
                independent = all(item.clock[before.task] < before.ordinal for before in items[:index])
            return items[:index] + items[index + 1 :] if independent else None
    if node.unsure or node.varies or varies or _conflict(event, items):
        return None
    return items


def _conflict(event: PointEvent, items: list[Item]) -> bool:
    return any(item.event.conflicts(event) for item in items)
