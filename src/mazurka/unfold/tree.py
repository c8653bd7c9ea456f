"""The exploration tree: which configurations have been explored, and which remain.

Definition (POR-SE, section 3.7 and appendix G). A node is a configuration C, a set D of excluded events, and an event e
that C enables. Its left subtree explores all maximal configurations that contain C and e and no event of D, its right
subtree those that contain C, but neither e nor an event of D. So each maximal configuration belongs to one leaf. C and
D are not stored: a way to a left child adds an event to C, one to a right child adds one to D. ``asleep`` has the
events of D that can still happen after C: all others are in conflict with C.

A right child begins with an alternative (alternatives.py): a chain of left children to the leaf that is to be executed.

*Sweep* (appendix G.3). Leaves are executed in any order. But that there is no alternative at a node is certain only
when all configurations have been explored that an in-order traversal visits before: then all events that might begin
one are known. The sweep is the place of this traversal. It moves on when its leaf has been executed; nodes behind it
are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mazurka.unfold.alternatives import AlternativeFinder
from mazurka.unfold.events import Configuration, UnfoldingEvent


class Node:
    """A node; one without an event is a leaf. ``taken``: it is a left child. ``executed``: an execution has ended here.
    ``leaves``: how many leaves below it, or itself, are to be executed."""

    __slots__ = ("asleep", "event", "executed", "leaves", "left", "parent", "probes", "right", "taken")

    def __init__(self, parent: Node | None, taken: bool, asleep: tuple[UnfoldingEvent, ...]) -> None:
        self.parent = parent
        self.taken = taken
        self.asleep: Final = asleep
        self.event: UnfoldingEvent | None = None
        self.left: Node | None = None
        self.right: Node | None = None
        self.executed = False
        self.probes: list[UnfoldingEvent] | None = None  # events of threads that may be able to move here
        self.leaves = 0

    def extend(self, event: UnfoldingEvent) -> Node:
        """Make it a node with this event, and return its left child."""
        self.event = event
        self.left = Node(self, True, tuple([each for each in self.asleep if not event.depends(each)]))
        return self.left

    def ways(self) -> Iterator[Node]:
        """The node and its ancestors."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def configuration(self) -> list[UnfoldingEvent]:
        """The events of C, in the order of the tree."""
        found = [node.parent.event for node in self.ways() if node.taken and node.parent is not None]
        return [event for event in reversed(found) if event is not None]


class UnfoldingTree:
    """The tree, with the leaves that are to be executed, in the order in which they were found."""

    def __init__(self, alternatives: AlternativeFinder) -> None:
        self.alternatives = alternatives
        self.root = Node(None, False, ())
        self.open: dict[Node, None] = {}
        self.sweep: Node | None = self.root
        self.explored = 0  # maximal configurations
        self._here = Configuration()  # that of the sweep
        self._add(self.root)

    # -- leaves -------------------------------------------------------------------------------------------------------

    def _add(self, leaf: Node) -> None:
        self.open[leaf] = None
        for node in leaf.ways():
            node.leaves += 1

    def _remove(self, leaf: Node) -> None:
        del self.open[leaf]
        for node in leaf.ways():
            node.leaves -= 1

    def expand(
        self, leaf: Node, events: Sequence[UnfoldingEvent], eager: bool, probes: list[UnfoldingEvent] | None = None
    ) -> None:
        """Enter an execution that continued in these events after the configuration of a leaf. If ``eager``, look for
        alternatives to them now; otherwise the sweep will. ``probes``, if not None, stand for events of threads that
        may be able to move after them, since the execution went on with cutoffs; each is tried."""
        self._remove(leaf)
        swept = leaf is self.sweep
        node = leaf
        for event in events:
            if event in node.asleep:  # in vain from here on, since the way to the leaf was a partial alternative
                node.event = event
                break
            node = node.extend(event)
            if swept:
                self._here.push(event)
        else:
            if probes is not None and node is not leaf or node.probes is None:
                node.probes = probes
            if node.probes is not None and node.asleep:
                node.event = node.asleep[-1]
            elif node.probes:
                self._probe(node, swept)
                return
            else:
                self.explored += 1
        node.executed = True
        if eager:
            self._look(node, leaf)
        if swept:
            self.sweep = node
            self.move_on()

    def _probe(self, node: Node, swept: bool) -> None:
        """Have an execution try whether a thread can move after an otherwise complete configuration."""
        assert node.probes
        probe = node.probes.pop()
        leaf = node.extend(probe)
        self._add(leaf)
        if swept:
            self._here.push(probe)
            self.sweep = leaf

    def _look(self, node: Node, leaf: Node) -> None:
        """Add the alternatives to events that were executed between a leaf and a node that are known already."""
        configuration = Configuration(node.configuration())
        while node is not leaf and node.parent is not None:
            node = node.parent
            configuration.pop()
            self._branch_off(node, configuration)

    def _branch_off(self, node: Node, configuration: Configuration) -> Node | None:
        """Add a right child to a node if there is an alternative; returns it."""
        assert node.event is not None
        excluded = node.asleep if node.event in node.asleep else (*node.asleep, node.event)
        events = self.alternatives.find(configuration, excluded)
        if events is None:
            return None
        child = leaf = node.right = Node(node, False, excluded)
        for event in events:
            leaf = leaf.extend(event)
        self._add(leaf)
        return child

    def cut_back(self, leaf: Node, index: int) -> Node:
        """Take back the way to a leaf from the event of this index on, which only the leaf has; returns the leaf that
        is there instead."""
        self._remove(leaf)
        node, size = leaf, len(leaf.configuration())
        swept = leaf is self.sweep
        while size > index:
            assert node.taken
            assert node.parent is not None
            node, size = node.parent, size - 1
            if swept:
                self._here.pop()
        node.event = node.left = None
        self._add(node)
        if swept:
            self.sweep = node
        return node

    def give_up(self, leaf: Node) -> None:
        """Leave a leaf that no execution can reach as planned; if events are excluded there, an alternative has to be
        in conflict with all of them."""
        if leaf.asleep:
            self.expand(leaf, leaf.asleep[-1:], eager=False)

    def forget(self, count: int) -> int:
        """Drop the leaves that have waited longest, up to this number, and the ways that only they have; returns how
        many there were."""
        dropped = [leaf for leaf in self.open if leaf is not self.sweep][:count]
        for leaf in dropped:
            self.drop(self.cut_back(leaf, len(leaf.configuration()) - self.chain(leaf)))
        return len(dropped)

    def drop(self, leaf: Node) -> None:
        """Leave a leaf without an execution."""
        self._remove(leaf)
        leaf.executed = True
        self.move_on()

    def chain(self, leaf: Node) -> int:
        """The number of events in the chain that a leaf ends, which nothing but that leaf has."""
        count, node = 0, leaf
        while node.taken and node.parent is not None:
            count += 1
            node = node.parent
        return count

    # -- the sweep ----------------------------------------------------------------------------------------------------

    def move_on(self) -> None:
        """Move the sweep to the next leaf that has not been executed."""
        while self.sweep is not None and self.sweep.executed:
            node = self.sweep
            if node.event is None:
                self._ascend(node)
            elif node.right is not None:
                self._descend(node.right)
            else:
                node.executed = False
                self._decide(node)

    def _ascend(self, node: Node) -> None:
        """Go up from a node whose subtrees have been explored, to the next one with a right subtree."""
        while (parent := node.parent) is not None:
            if not node.taken:
                parent.right = None
                node = parent
                continue
            self._here.pop()
            parent.left = None
            node = parent
            right = node.right or self._branch_off(node, self._here)
            if right is not None:
                self._descend(right)
                return
        self.sweep = None

    def _decide(self, node: Node) -> None:
        """Go on at a node whose left subtree has been explored."""
        right = self._branch_off(node, self._here)
        if right is None:
            self._ascend(node)
        else:
            self._descend(right)

    def _descend(self, node: Node) -> None:
        while node.left is not None:
            assert node.event is not None
            self._here.push(node.event)
            node = node.left
        self.sweep = node
