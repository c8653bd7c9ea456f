"""Whether the running thread has company: others that may do something at the same time, in this order of steps or in
another one."""

from __future__ import annotations

from typing import Any

from mazurka.program.protocol import Target
from mazurka.trace.event import Op


def has_company(run: Any) -> bool:
    """Whether other threads are there, or have been of whose end the running one does not know: a thread that takes no
    step which others could notice has ended as soon as it is started, though it might last in another order."""
    if len(run.live) > 1:
        return True
    lives, ended = ends_known(run)
    me = run.current.index
    return any(index != me and index not in ended for index in lives.values())


def ends_known(run: Any) -> tuple[dict[Target, int], set[int]]:
    """The threads that have begun, by what stands for their lives, and those of whose end the running one knows."""
    lives: dict[Target, int] = {}
    known: dict[int, set[int]] = {}
    starter = 0
    for index, op, target, *_ in run.log:
        if op is Op.FORK:
            starter = index
        elif op is Op.BEGIN:
            lives[target] = index
            known[index] = set(known.get(starter, ()))
        elif op is Op.JOIN and target in lives:
            other = lives[target]
            known.setdefault(index, set()).update({other}, known.get(other, ()))
    return lives, known.get(run.current.index, set())
