"""The causal graph of a finding: the steps that explain it, in program order, and the arrows between threads.

Nodes are the steps that explain the finding, those in conflict, and steps on the other side of an arrow to one of
these. Edges are program order between a thread's nodes, the arrows between nodes, and in a deadlock those from each
wait to that of the thread which holds the lock; the two conflicting steps are linked, too, if none of these does that.
At most :data:`MOST` nodes: of a longer finding the last ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.report.finding import Finding
from mazurka.report.report import Report
from mazurka.report.steps import ARROWS, ExportedStep, arrows_of, steps_of
from mazurka.report.words import shorten

#: The largest number of nodes.
MOST: Final = 80

#: The largest number of characters of a title.
_TITLE: Final = 120

#: Predictions of at most so many steps are shown whole.
_FEW: Final = 40

#: The labels of edges that are no arrows: program order has none.
CONFLICT: Final = "conflict"
_WAITS: Final = "waits for"


@dataclass(frozen=True, slots=True)
class Edge:
    """From one node to another, by their places among the nodes; ``label`` is the reason ("": program order)."""

    first: int
    second: int
    label: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class CausalGraph:
    """The nodes in the order in which they happen, and the edges."""

    title: str
    nodes: tuple[ExportedStep, ...]
    edges: tuple[Edge, ...]

    @property
    def threads(self) -> dict[str, list[int]]:
        """The nodes of each thread, by its label for people."""
        found: dict[str, list[int]] = {}
        for place, node in enumerate(self.nodes):
            found.setdefault(node.label, []).append(place)
        return found


def graph_of(finding: Finding, report: Report) -> CausalGraph:
    """The graph of a finding."""
    steps, arrows = steps_of(finding, report), arrows_of(finding)
    chosen = {step.number for step in steps if step.is_relevant or step.is_conflicting}
    if finding.predicted and len(steps) <= _FEW:
        chosen = {step.number for step in steps}
    beside = {each for arrow in arrows for each in (arrow.first, arrow.second) if {arrow.first, arrow.second} & chosen}
    nodes = tuple([step for step in steps if step.is_end or step.number in chosen | beside][-MOST:])
    place = {node.number: at for at, node in reversed([*enumerate(nodes)]) if not node.is_end}
    edges = [
        *_program_order(nodes),
        *(
            Edge(place[arrow.first], place[arrow.second], ARROWS.get(arrow.reason, arrow.reason.value), arrow.target)
            for arrow in arrows
            if arrow.first in place and arrow.second in place
        ),
        *_waits(finding, nodes),
    ]
    linked = {frozenset((edge.first, edge.second)) for edge in edges}
    conflicting = [at for at, node in enumerate(nodes) if node.is_conflicting]
    if len(conflicting) == 2 and frozenset(conflicting) not in linked:
        edges.append(Edge(conflicting[0], conflicting[1], CONFLICT, nodes[conflicting[0]].target))
    return CausalGraph(shorten(f"{finding.kind}: {finding.message}", _TITLE), nodes, tuple(edges))


def _waits(finding: Finding, nodes: tuple[ExportedStep, ...]) -> Iterator[Edge]:
    """An edge from each next step that needs a lock to the next step of the thread that holds it."""
    ends = [(place, node) for place, node in enumerate(nodes) if node.is_end]
    waiting = finding.failure.waiting if finding.failure is not None else ()
    holders = {(each.thread, each.for_what): each.held_by for each in waiting}
    for place, node in ends:
        for other, holder in ends:
            named = holders.get((node.thread, node.target)) in (holder.thread, holder.label)
            if holder.thread != node.thread and (named or node.target in holder.held):
                yield Edge(place, other, _WAITS, node.target)


def _program_order(nodes: tuple[ExportedStep, ...]) -> Iterator[Edge]:
    last: dict[str, int] = {}
    for place, node in enumerate(nodes):
        if node.thread in last:
            yield Edge(last[node.thread], place)
        last[node.thread] = place
