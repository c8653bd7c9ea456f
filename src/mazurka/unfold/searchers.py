"""Searchers: which leaf of the exploration tree is executed next.

A searcher changes only the order of the exploration (POR-SE, section 3.7; those of KLEE).
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from mazurka.symbolic.values import PathCondition
from mazurka.unfold.events import UnfoldingEvent
from mazurka.unfold.tree import Node, UnfoldingTree


class Searcher(ABC):
    """Chooses leaves."""

    eager = True  # whether there is a choice: alternatives are looked for after each execution

    @abstractmethod
    def choose(self, tree: UnfoldingTree) -> Node:
        """The next leaf to execute; the tree has one."""

    def observe(self, events: Sequence[UnfoldingEvent]) -> None:
        """Learn from the events of an execution."""
        return


class InOrder(Searcher):
    """In order: the tree is one path, with one leaf to execute."""

    eager = False

    def choose(self, tree: UnfoldingTree) -> Node:
        return next(reversed(tree.open))


class RandomPath(Searcher):
    """A random way down from the root: leaves in large subtrees are not preferred (Cadar, Dunbar, Engler: KLEE, OSDI
    2008)."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def choose(self, tree: UnfoldingTree) -> Node:
        node = tree.root
        while node not in tree.open:
            children = [child for child in (node.left, node.right) if child is not None and child.leaves]
            node = children[0] if len(children) == 1 else self._random.choice(children)
        return node


class RarestOrders(Searcher):
    """The leaf whose last event orders two actions that executions have ordered in this way least often."""

    def __init__(self) -> None:
        self._covered: Counter[object] = Counter()

    def choose(self, tree: UnfoldingTree) -> Node:
        return min(tree.open, key=self._rank)

    def _rank(self, leaf: Node) -> int:
        last = leaf.parent.event if leaf.taken and leaf.parent is not None else None
        return 0 if last is None else min(self._covered[pair] for pair in _orders(last))

    def observe(self, events: Sequence[UnfoldingEvent]) -> None:
        self._covered.update([pair for event in events for pair in _orders(event)])


class FewestSwitches(Searcher):
    """The leaf whose way there switches between threads least often."""

    def choose(self, tree: UnfoldingTree) -> Node:
        return min(tree.open, key=_switches)


class RarestPaths(Searcher):
    """The leaf whose conditions on unknown inputs fewest executions have met: first one execution for each path."""

    def __init__(self) -> None:
        self._covered: Counter[frozenset[PathCondition]] = Counter()  # by the conditions of executions
        self._leaves: dict[Node, frozenset[PathCondition]] = {}

    def choose(self, tree: UnfoldingTree) -> Node:
        known = self._leaves
        self._leaves = {leaf: known[leaf] if leaf in known else _conditions(leaf.configuration()) for leaf in tree.open}
        return min(tree.open, key=self._rank)

    def _rank(self, leaf: Node) -> int:
        wanted = self._leaves[leaf]
        return sum(count for met, count in self._covered.items() if wanted <= met)

    def observe(self, events: Sequence[UnfoldingEvent]) -> None:
        self._covered[_conditions(events)] += 1


def _conditions(events: Iterable[UnfoldingEvent]) -> frozenset[PathCondition]:
    return frozenset([event.condition for event in events if event.condition is not None])


def _orders(event: UnfoldingEvent) -> list[object]:
    """The action of an event, with each action that it directly follows."""
    own = (event.thread, event.reads, event.writes)
    return [(own, None)] + [(own, (last.thread, last.reads, last.writes)) for last in event.past.values()]


def _switches(leaf: Node) -> int:
    threads = [event.thread for event in leaf.configuration()]
    return sum(one != other for one, other in pairwise(threads))


#: The searchers by name, the default first.
SEARCHERS: Final = ("dfs", "random-path", "coverage", "fewest-switches", "paths")


def make_searcher(name: str, seed: int = 0) -> Searcher:
    """The searcher of that name, one of :data:`SEARCHERS`."""
    match name:
        case "random-path":
            return RandomPath(seed)
        case "coverage":
            return RarestOrders()
        case "fewest-switches":
            return FewestSwitches()
        case "paths":
            return RarestPaths()
    return InOrder()
