"""Data on the steps of a finding, beyond the words for them: for the page, and for programs that read the report.

Steps are numbered as in the finding: those of an execution from 1, those of a trace as in its file. Thread names are
stable ones. All of it is derived from the same execution or trace as the finding; a finding without it is complete, and
is shown with less.
"""

from __future__ import annotations

from enum import Enum

from mazurka.lazy_dataclass import dataclass


class OrderReason(Enum):
    """Why a step comes after another one."""

    PROGRAM = "program order"  # both are of one thread
    FORK = "fork"  # a thread begins after it is started
    JOIN = "join"  # a thread is joined after it has ended
    LOCK = "lock"  # a lock is acquired after it is released
    READ = "read"  # a read gives the value that this write stored
    OVERWRITE = "overwrite"  # a write would replace the value before this read has given it
    WRITE = "write"  # of two writes the later one has to be seen
    WAKE = "wake-up"  # a thread goes on after it is notified
    TOGETHER = "together"  # it follows from several of these at once


@dataclass(frozen=True, slots=True)
class StepFacts:
    """A step for programs: its operation (``read``, ``acquire``), the number of its target among those of the finding
    (equal for the same location or lock, whatever its name), and the locks that its thread holds before it."""

    operation: str
    target: int
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrow:
    """Something that a step hands to a later step of another thread: a value, a lock, the start or end of a thread."""

    first: int
    second: int
    reason: OrderReason
    target: str


@dataclass(frozen=True, slots=True)
class Orders:
    """Which of these ``steps`` can come in the other order, as the causal model's solver answers.

    The question about two steps, of which ``a`` came before ``b``: is there an execution in which every thread takes
    the same branches, both happen, and ``b`` comes before ``a``? It is *not* possible if, and only if, a path of
    ``edges`` leads from ``a`` to ``b`` and (a, b) is not among the pairs ``possible``. These are rare: there is a path,
    but a step on it need not happen. Nothing is known about ``undecided`` pairs. An edge has a reason, and the name of
    the target that it is about ("": none).
    """

    steps: tuple[int, ...]
    edges: tuple[Arrow, ...]
    possible: tuple[tuple[int, int], ...] = ()
    undecided: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Details:
    """See the module. ``labels`` are (stable name, name for people) of all threads; ``facts`` has an entry for each
    step; ``relevant`` are the numbers of the steps that explain the finding, ``conflicting`` of the two, or few, that
    make it up."""

    labels: tuple[tuple[str, str], ...]
    facts: tuple[StepFacts, ...]
    arrows: tuple[Arrow, ...]
    relevant: tuple[int, ...]
    conflicting: tuple[int, ...]
