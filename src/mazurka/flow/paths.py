"""The numbers of paths through a function (Ball and Larus, "Efficient path profiling", 1996; chapter 6 of the
dissertation uses an extended form).

Definition: a *path* begins at the entry, after a call that ends paths, or at the target of an edge that ends one,
and ends at such a call or edge, or at a return. At a node with an undecided branch each edge
adds a value to the path's number, so that all paths from one beginning have different numbers; a branch that
re-execution decides adds nothing, and counts as the widest of its sides. The number is written down where the path
ends.

Loops are of three kinds:

- *transparent*: all their branches are decided, and no call in them ends paths. Paths go through them.
- *counted*: besides, undecided branches that leave the loop on all sides but one. Each pass is the same path, but for
  the last: the number of passes is written down where the loop is left, together with which way it's left, and a path
  begins behind it.
- all others: an edge to the head ends a path, from inside and from outside, so that paths through the loop have
  small numbers of their own.

Invariant: whether a number is written at the end of a path, and in how many bytes, depends on the group of paths that
share a node, so that who reads it knows before how many bytes it has.

Departures from the source: numbers count from each path's own beginning, which keeps them small; a decided branch needs
no number, nor do paths of which a group has one only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import field
from typing import Final

from mazurka.flow.graph import Edge, Graph, Loop
from mazurka.lazy_dataclass import dataclass

#: The largest number of paths from one beginning, and the largest for which numbers take one byte.
MOST_PATHS: Final = 65_000
_ONE_BYTE: Final = 254
#: As many paths are stored in four bits, once a window is full (`runtime.c`).
_HALF_A_BYTE: Final = 14


@dataclass(slots=True)
class Step:
    """What happens on an edge: ``value`` is added to the path's number. ``leaves`` is the counted loop that it
    leaves, by the way out that is ``value``, ``enters`` the one that it enters, ``passes`` the one of which it ends a
    pass; ``ends`` says that the path ends."""

    edge: Edge
    value: int = 0
    ends: bool = False
    leaves: int | None = None
    enters: int | None = None
    passes: int | None = None


@dataclass(slots=True)
class Beginning:
    """What is known of a node. ``steps`` are its edges, and ``decided`` says that re-execution finds which is taken.
    ``paths`` is how many numbers there are from here, ``width`` the bytes of the numbers of its group (0: none are
    written)."""

    steps: list[Step] = field(default_factory=list)
    decided: bool = False
    paths: int = 0
    width: int = 0


class Paths:
    """The numbering of a graph. ``decided`` are the numbers of the nodes whose branches are."""

    def __init__(self, graph: Graph, decided: Collection[int]) -> None:
        self.graph = graph
        #: The counted loops; steps name them by their place here.
        self.counted: list[Loop] = []
        #: By the number of a node.
        self.nodes: dict[int, Beginning] = {number: Beginning() for number in graph.order}
        #: The steps that leave each counted loop.
        self.exits: list[list[Step]] = []
        self._inner: dict[int, int] = {}
        self._bodies = {loop.head: loop.body for loop in graph.loops}
        transparent = self._sort_loops(decided)
        for number in graph.order:
            node, known = graph.nodes[number], self.nodes[number]
            known.decided = len(node.edges) < 2 or number in decided
            known.steps = [Step(edge) for edge in node.edges]
            for step in known.steps:
                self._describe(step, transparent)
        for loop in range(len(self.counted)):
            steps = [step for step in self._steps() if step.leaves == loop]
            self.exits.append(sorted(steps, key=lambda step: (step.edge.source, step.edge.target)))
            for value, step in enumerate(self.exits[-1]):
                step.value, step.ends = value, True
        self._number()
        if self._end_at_exits():
            self._number()
        self._group()

    def _steps(self) -> Iterator[Step]:
        for known in self.nodes.values():
            yield from known.steps

    def steps_from(self, number: int) -> list[Step]:
        """The steps from a node."""
        return self.nodes[number].steps

    def loop_of(self, number: int) -> int | None:
        """The counted loop that a node is in."""
        return self._inner.get(number)

    @property
    def writes(self) -> bool:
        """Whether paths of the function write anything on edges or at their ends."""
        return bool(self.counted) or any(known.width for known in self.nodes.values())

    # -- loops --------------------------------------------------------------------------------------------------------

    def _sort_loops(self, decided: Collection[int]) -> set[tuple[int, int]]:
        """Find the counted loops; returns the edges back of transparent ones, and of those that are within counted
        ones."""
        graph, clear = self.graph, set[tuple[int, int]]()
        for loop in graph.loops:
            nodes = [graph.nodes[each] for each in loop.body]
            if any(node.call is not None or node.number in self._inner for node in nodes):
                continue
            back = {(edge.source, edge.target) for node in nodes for edge in node.edges if edge.goes_back}
            inner = {edge for edge in back if edge[1] != loop.head}
            if not inner <= clear:
                continue
            undecided = [node for node in nodes if len(node.edges) > 1 and node.number not in decided]
            if not undecided:
                clear |= back
            elif all(sum(edge.target in loop.body for edge in node.edges) == 1 for node in undecided):
                self._inner.update(dict.fromkeys(loop.body, len(self.counted)))
                self.counted.append(loop)
        return clear

    def _describe(self, step: Step, transparent: set[tuple[int, int]]) -> None:
        source, target = step.edge.source, step.edge.target
        inside, entered = self._inner.get(source), self._inner.get(target)
        if inside is not None and inside == entered:
            if target == self.counted[inside].head:
                step.passes = inside
            return
        step.leaves, step.enters = inside, entered
        goes_round = step.edge.goes_back and (source, target) not in transparent
        step.ends = step.enters is not None or goes_round or self._comes_into(step, transparent)

    def _comes_into(self, step: Step, transparent: set[tuple[int, int]]) -> bool:
        """Whether a step comes from outside to the head of a loop in which paths end."""
        body = self._bodies.get(step.edge.target)
        if body is None or step.edge.source in body:
            return False
        back = [edge for edge in self.graph.nodes[step.edge.target].entering if edge.goes_back]
        return not all((edge.source, edge.target) in transparent for edge in back)

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _number(self) -> None:
        """Count paths, ends before beginnings; a node with too many ends the paths that lead to the widest of its
        sides."""
        for number in self.graph.order:
            if number not in self._inner:
                self._count(self.nodes[number])

    def _end_at_exits(self) -> bool:
        """Let paths of loops that have many end where the loop is left; returns whether there are such loops."""
        found = False
        for loop in self.graph.loops:
            ends = [edge for edge in self.graph.nodes[loop.head].entering if edge.source in loop.body]
            rounds = [step for step in self._steps() if step.ends and step.edge in ends]
            if loop.head not in self._inner and rounds and self.nodes[loop.head].paths > _HALF_A_BYTE:
                for step in self._steps():
                    if step.edge.source in loop.body and step.edge.target not in loop.body:
                        step.ends = found = True
        return found

    def _count(self, known: Beginning) -> None:
        widths = [self._paths_over(step) for step in known.steps]
        while not known.decided and sum(widths) > max(MOST_PATHS, len(widths)):
            widest = widths.index(max(widths))
            known.steps[widest].ends, widths[widest] = True, 1
        known.paths = max((*widths, 1)) if known.decided else sum(widths)
        if not known.decided:
            for at, step in enumerate(known.steps):
                step.value = sum(widths[:at])

    def _paths_over(self, step: Step) -> int:
        if step.ends:
            return 1
        return 0 if step.edge.goes_back else self.nodes[step.edge.target].paths

    def _group(self) -> None:
        """Give paths that share a node the same width."""
        everything = [known for number, known in self.nodes.items() if number not in self._inner]
        place = {id(each): at for at, each in enumerate(everything)}
        parent = list(range(len(everything)))

        def root(at: int) -> int:
            while parent[at] != at:
                parent[at] = parent[parent[at]]
                at = parent[at]
            return at

        for at, known in enumerate(everything):
            for step in known.steps:
                if not step.ends:
                    parent[root(at)] = root(place[id(self.nodes[step.edge.target])])
        most: dict[int, int] = {}
        for at, known in enumerate(everything):
            most[root(at)] = max(most.get(root(at), 1), known.paths)
        for at, known in enumerate(everything):
            paths = most[root(at)]
            known.width = 0 if paths < 2 else 1 if paths <= _ONE_BYTE else 2
