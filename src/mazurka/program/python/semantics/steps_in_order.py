"""The steps of a run, and whether they are ordered with all steps of a thread by starts and joins.

Cost: one pass over the log of a run.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple

from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, kind_of


class StepInOrder(NamedTuple):
    """A step of a run as logged, with its position in the log, the threads that have begun before it, and those whose
    end its thread knows."""

    position: int
    entry: Any
    begun: AbstractSet[int]
    joined: AbstractSet[int]


_NONE: Final[frozenset[int]] = frozenset()


def steps_in_order(run: Any, among: Container[int] | None = None) -> Iterator[StepInOrder]:
    """The steps of a run, or those at these positions, except for the begins of threads and the joins."""
    joined: dict[int, set[int]] = {}
    begun: set[int] = set()
    for position, entry in enumerate(run.log):
        index, op, target = entry[:3]
        if op is Op.BEGIN:
            begun.add(index)
            parent = run.by_name.get(run.tasks[index].name.rpartition(".")[0])
            joined[index] = set(joined.get(parent.index, ())) if parent is not None else set()
        elif op is Op.JOIN and kind_of(target) is Kind.THREAD:
            ended = run.by_name[target[1]].index
            joined.setdefault(index, set()).update({ended}, joined.get(ended, ()))
        elif among is None or position in among:
            yield StepInOrder(position, entry, begun, joined.get(index, _NONE))


def is_unordered(run: Any, index: int, step: StepInOrder) -> bool:
    """Whether a step is neither before nor after all steps of a thread, given by index; -1 stands for any thread."""
    mine = step.entry[0]
    if index < 0:
        return True
    if index == mine or index in step.joined:
        return False
    return index in step.begun or not run.tasks[index].name.startswith(f"{run.tasks[mine].name}.")
