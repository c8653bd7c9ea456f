"""The decision tree of maximal causality reduction: questions, and the seeds that answer them (see mcr.py)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Asks(IntEnum):
    """The question of a node."""

    SOURCE = 0  # which writes does the step of a thread in this state read from?
    TAKER = 1  # which thread acquires this lock next after this release?


#: Those of nearly all nodes.
_NONE: Final = frozenset[int]()


class DecisionNode:
    """A question: ``first`` is the print of the thread's state (source) or of the release (taker), ``second`` that of
    the lock.

    ``tried`` holds the answers that are decided, by fingerprint: that of the write for a source node (a hash of several
    if the step reads several targets), that of the thread's state for a taker node.
    """

    __slots__ = ("asks", "first", "guesses", "second", "tried")

    def __init__(self, asks: int, first: int, second: int, answer: int) -> None:
        self.asks = asks
        self.first = first
        self.second = second
        self.tried = {answer}
        self.guesses: frozenset[int] = _NONE  # answers asked for with a guess of a step's accesses


class Branch:
    """A seed, and the part of its path that its run added.

    The first ``inherited`` nodes of its path are those of its parent. ``cut`` is their number when the seed was made;
    the last of these has the new answer ``answer``. ``asked`` are the prefix entries that are not known to be possible.
    """

    __slots__ = (
        "above",
        "answer",
        "asked",
        "cut",
        "depth",
        "inherited",
        "known",
        "like",
        "nodes",
        "number",
        "parent",
        "prefix",
        "probe",
        "retry",
        "shared",
    )

    def __init__(
        self,
        number: int,
        parent: Branch | None,
        cut: int,
        answer: int,
        prefix: bytes,
        asked: tuple[int, ...] = (),
        retry: bool = False,
        above: int = 0,
    ) -> None:
        self.number = number
        self.parent = parent
        self.cut = cut
        self.inherited = cut
        self.answer = answer
        self.prefix = prefix
        self.asked = asked
        self.above = above  # if the accesses of a step are a guess: a hash of the answers before the last
        self.probe = 0  # the key of the unknown form that its run shall show; such a branch has no place in the tree
        self.retry = retry  # whether the last asked entry has been left out because its thread had to wait
        self.depth: int = parent.depth + 1 if parent else 0
        self.nodes: tuple[DecisionNode, ...] = ()
        self.like = 0  # the number of the memoised run whose steps its run has
        self.known = False  # whether its run has been seen, but not all its alternatives
        self.shared: int = parent.shared if parent else 0  # how many nodes of its path belong to other processes, too

    @property
    def special(self) -> int:
        """In records: 1 for a retry, the hash of the answers above for a guess."""
        return int(self.retry) or self.above

    def path(self) -> list[DecisionNode]:
        """All nodes from the root down."""
        parts: list[tuple[DecisionNode, ...]] = []
        branch: Branch | None = self
        keep = self.inherited + len(self.nodes)
        while branch is not None and keep > 0:
            own = keep - branch.inherited
            if own > 0:
                parts.append(branch.nodes[:own])
                keep = branch.inherited
            branch = branch.parent
        return [node for part in reversed(parts) for node in part]

    def node(self, index: int) -> DecisionNode:
        """One node of the path."""
        branch = self
        while index < branch.inherited:
            assert branch.parent is not None
            branch = branch.parent
        return branch.nodes[index - branch.inherited]


#: The answer that the operation stays blocked for ever.
NEVER = 1
