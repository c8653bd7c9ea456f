"""Counts the switches of an interleaving, which make it hard to read: the places where one thread stops and another
goes on.

A switch is *preemptive* when the thread that stopped could have gone on. Only points count, as only there a scheduler
decides, and only those up to the failure: later ones explain nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from mazurka.program.protocol import Failure, Run, folded

#: A plan's prefix, run-length encoded: thread names and how many points each passes.
Blocks = tuple[tuple[str, int], ...]


class Cost(NamedTuple):
    """How much there is to read in a failing run; compared field by field, the first differing one decides."""

    preemptions: int
    switches: int
    points: int


def encode_blocks(prefix: tuple[str, ...]) -> Blocks:
    """Run-length encode a prefix."""
    blocks: list[tuple[str, int]] = []
    for name in prefix:
        if blocks and blocks[-1][0] == name:
            blocks[-1] = (name, blocks[-1][1] + 1)
        else:
            blocks.append((name, 1))
    return tuple(blocks)


def decode_blocks(blocks: Blocks) -> tuple[str, ...]:
    """The prefix that blocks stand for."""
    return tuple(name for name, count in blocks for _ in range(count))


def steps_until(run: Run, failure: Failure) -> int:
    """How many of the run's steps led to the failure: all, where the failure does not say."""
    return min(failure.step, len(run.log)) if failure.step > 0 else len(run.log)


def prefix_until(run: Run, failure: Failure) -> tuple[str, ...]:
    """The plan prefix that leads to the failure; afterwards any continuation will do."""
    points = tuple(run.tasks[step.task] for step in run.log[: steps_until(run, failure)] if step.point)
    return folded(points, run.again)


def preemptive_steps(run: Run, end: int) -> frozenset[int]:
    """Indexes, below ``end``, of steps where another thread moved although the previous one could have gone on."""
    enabled: dict[int, tuple[int, ...]] = {choice.point: choice.enabled for choice in run.choices}
    found = set()
    previous, point = -1, -1
    for index, step in enumerate(run.log[:end]):
        if not step.point:
            continue
        point += 1
        if step.task != previous and previous in enabled.get(point, ()):
            found.add(index)
        previous = step.task
    return frozenset(found)


def cost_until(run: Run, failure: Failure) -> Cost:
    """The steps of ``run`` up to ``failure`` that a report shows."""
    end = steps_until(run, failure)
    prefix = prefix_until(run, failure)
    return Cost(len(preemptive_steps(run, end)), max(len(encode_blocks(prefix)) - 1, 0), len(prefix))
