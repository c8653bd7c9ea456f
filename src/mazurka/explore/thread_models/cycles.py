"""Endless loops of a search: the bottom components of a directed graph, and tours through them.

A *bottom component* is a set of nodes each of which leads to each other one, and from which no edge leads out (Tarjan,
SIAM J. Comput. 1(2), 1972, without recursion). Cost: linear in nodes and edges; for a tour once for each label.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

Node = TypeVar("Node")

#: The number of nodes visited between two pauses.
_OFTEN: Final = 1000


def bottoms(nodes: Iterable[Node], after: Callable[[Node], Iterable[Node]]) -> Iterator[list[Node]]:
    """The bottom strongly connected components reachable from ``nodes``, each in the order in which its nodes were
    left.

    Now and then an empty one is yielded, so that a caller can pause a long search.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    leads_out: set[Node] = set()  # roots of components, and nodes with an edge to a finished component
    finished: set[Node] = set()
    path: list[Node] = []
    for first in nodes:
        if first in index:
            continue
        index[first] = low[first] = len(index)
        path.append(first)
        work = [(first, iter(after(first)))]
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    component = _cut(path, node)
                    finished.update(component)
                    if not any(each in leads_out for each in component):
                        yield component
                    if work:
                        leads_out.add(work[-1][0])
            elif following in finished:
                leads_out.add(node)
            elif following in index:
                low[node] = min(low[node], index[following])
            else:
                index[following] = low[following] = len(index)
                if not len(index) % _OFTEN:
                    yield []
                path.append(following)
                work.append((following, iter(after(following))))


def tour(first: Node, after: Callable[[Node], Mapping[int, Node]]) -> list[int]:
    """The labels of edges along a path from a node of a bottom component back to it, on which every label of the
    component's edges occurs."""
    seen, work = {first}, [first]
    left: set[int] = set()
    while work:
        edges = after(work.pop())
        left.update(edges)
        work += set(edges.values()) - seen
        seen.update(edges.values())
    way: list[int] = []
    at = first
    while left or at is not first:
        labels, at = _on(at, after, left, first)
        left.difference_update(labels)
        way += labels
    return way


def _on(at: Node, after: Callable[[Node], Mapping[int, Node]], wanted: set[int], goal: Node) -> tuple[list[int], Node]:
    """The shortest path to an edge with a wanted label, or to the goal if no label is wanted, and the node where it
    ends."""
    ways: dict[Node, list[int]] = {at: []}
    work = deque([at])
    while True:
        node = work.popleft()
        for label, following in after(node).items():
            way = [*ways[node], label]
            if label in wanted or not wanted and following is goal:
                return way, following
            if following not in ways:
                ways[following] = way
                work.append(following)


def _cut(path: list[Node], root: Node) -> list[Node]:
    """Cuts off the end of a path, from ``root`` on."""
    at = len(path) - 1
    while path[at] is not root:
        at -= 1
    component = path[at:]
    del path[at:]
    return component
