"""The control-flow graph of a function, in the form that paths are numbered on.

A *node* is a basic block, or the part of one up to and with a call at which paths end. An *edge* leads from the last
node of a block to the first node of one that may follow; a terminator that names a block twice has one edge to it.
Loops are natural: a loop's head is its only entrance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.functions import successors
from mazurka.program.llvm.ir.module import Instruction, IrFunction


@dataclass(slots=True)
class Node:
    """``block`` is the number of its block, ``start`` and ``stop`` bound its instructions there. ``call`` is the call
    at its end that ends paths, None if its block's terminator is its end."""

    number: int
    block: int
    start: int
    stop: int
    call: Instruction | None = None
    edges: list[Edge] = field(default_factory=list)
    entering: list[Edge] = field(default_factory=list)


@dataclass(slots=True)
class Edge:
    """An edge between nodes, by number. ``goes_back`` says that a depth-first walk finds its target still open."""

    source: int
    target: int
    goes_back: bool = False


@dataclass(slots=True)
class Loop:
    """A natural loop: the nodes of its body include its head."""

    head: int
    body: set[int]


class Graph:
    """The nodes of a function, in the order of its text, and its loops, inner ones first. The entry is node 0."""

    def __init__(self, function: IrFunction, ends_path: Callable[[Instruction], bool]) -> None:
        self.function = function
        self.nodes: list[Node] = []
        #: The first node of each block, by name.
        self.first: dict[str, int] = {}
        for number, block in enumerate(function.blocks):
            self.first[block.name] = len(self.nodes)
            start = 0
            for at, each in enumerate(block.instructions):
                if ends_path(each):
                    self.nodes.append(Node(len(self.nodes), number, start, at + 1, each))
                    start = at + 1
            self.nodes.append(Node(len(self.nodes), number, start, len(block.instructions)))
        for node in self.nodes:
            if node.call is None:
                node.edges = [Edge(node.number, self.first[label]) for label in successors(function.blocks[node.block])]
                for edge in node.edges:
                    self.nodes[edge.target].entering.append(edge)
        self.order = self._walk()
        self.loops = self._find_loops()

    def following(self, number: int) -> list[int]:
        """The nodes that may follow a node, also after a call that ends paths."""
        node = self.nodes[number]
        return [number + 1] if node.call is not None else [edge.target for edge in node.edges]

    def _walk(self) -> list[int]:
        """The reachable nodes, each after all that follow it but over edges that go back; marks these edges."""
        order: list[int] = []
        is_open: dict[int, bool] = {0: True}
        stack = [(0, iter(self.following(0)))]
        while stack:
            number, rest = stack[-1]
            for each in rest:
                if each not in is_open:
                    is_open[each] = True
                    stack.append((each, iter(self.following(each))))
                    break
                if is_open[each]:
                    for edge in self.nodes[number].edges:
                        edge.goes_back |= edge.target == each
            else:
                is_open[number] = False
                order.append(number)
                stack.pop()
        return order

    def _find_loops(self) -> list[Loop]:
        before: dict[int, list[int]] = {number: [] for number in self.order}
        for number in self.order:
            for each in self.following(number):
                before[each].append(number)
        bodies: dict[int, set[int]] = {}
        for number in self.order:
            for edge in self.nodes[number].edges:
                if edge.goes_back:
                    body = bodies.setdefault(edge.target, {edge.target})
                    waiting = [number]
                    while waiting:
                        each = waiting.pop()
                        if each not in body:
                            body.add(each)
                            waiting += before[each]
        found = [
            Loop(head, body)
            for head, body in bodies.items()
            if all(source in body for each in body if each != head for source in before[each]) and (0 not in body)
        ]
        return sorted(found, key=lambda loop: len(loop.body))
