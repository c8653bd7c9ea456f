"""The exploration tree of a small search, as data: executions with the same first choices share a path.

A node has the steps from the node above it to the next place where executions differ, or to the end of one. There it
has the threads that could move, and those of them in the sleep set of the strategy: their steps lead to nothing new. A
thread that could move, has no child there and is not asleep was not tried because no execution needs its turn there.

Nodes are a list, each with the index of the one above it, so that long paths are no deep data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from mazurka.explore.explored_paths import ExploredPath, PathStep
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber


@dataclass(frozen=True, slots=True)
class TreeStep:
    """A step: its thread, its operation in a word, and its place in the source."""

    thread: str
    operation: str
    location: str


@dataclass(slots=True)
class TreeNode:
    """See the module. ``parent`` is the index of the node above, -1 for the root; ``execution`` is the number of the
    execution that ends here, from 1, or None."""

    parent: int
    steps: list[TreeStep] = field(default_factory=list)
    enabled: tuple[str, ...] = ()
    asleep: tuple[str, ...] = ()
    execution: int | None = None
    ending: str = ""
    failing: bool = False


@dataclass(frozen=True, slots=True)
class ExplorationTree:
    """The nodes, each after the one above it, the names of threads, the number of executions in the tree, and whether
    these are all that the search made with these scheduling points."""

    nodes: tuple[TreeNode, ...]
    labels: tuple[tuple[str, str], ...]
    executions: int
    whole: bool


def exploration_tree(
    paths: Sequence[ExploredPath],
    whole: bool,
    verb: Callable[[Op], str],
    place: Callable[[SiteNumber], str],
) -> ExplorationTree | None:
    """The tree of these executions; None for less than two of them."""
    if len(paths) < 2:
        return None
    labels: dict[str, str] = {}
    for path in paths:
        labels.update(path.labels)
    numbered = [(number, path) for number, path in enumerate(paths, 1)]
    nodes: list[TreeNode] = []
    waiting = [(-1, 0, numbered)]
    while waiting:
        parent, depth, group = waiting.pop()
        node, index = TreeNode(parent), len(nodes)
        nodes.append(node)
        for step in _shared(group, depth):
            node.steps.append(TreeStep(step.thread, verb(step.op), place(step.site)))
        depth += len(node.steps)
        ended = [(number, path) for number, path in group if len(path.steps) == depth]
        further: dict[tuple[object, ...], list[tuple[int, ExploredPath]]] = {}
        for number, path in group:
            if len(path.steps) > depth:
                further.setdefault(path.steps[depth][:3], []).append((number, path))
        if len(group) == 1:
            node.execution, path = group[0]
            node.ending, node.failing = path.ending, path.failing
            continue
        here = [path.steps[depth] for _, path in group if len(path.steps) > depth]
        node.enabled = max((step.enabled for step in here), key=len, default=())
        node.asleep = tuple(sorted({name for step in here for name in step.asleep} - {step.thread for step in here}))
        children = [*([each] for each in ended), *further.values()]
        waiting += [(index, depth, child) for child in reversed(children)]
    return ExplorationTree(tuple(nodes), tuple(sorted(labels.items())), len(paths), whole)


def _shared(group: list[tuple[int, ExploredPath]], depth: int) -> tuple[PathStep, ...]:
    """The steps from that depth on that all of them have."""
    first = group[0][1].steps
    end, common = depth, min(len(path.steps) for _, path in group)
    while end < common and all(path.steps[end][:3] == first[end][:3] for _, path in group):
        end += 1
    return first[depth:end]
