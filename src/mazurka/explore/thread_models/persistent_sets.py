"""Persistent sets: the threads that have to move from a state (Godefroid, LNCS 1032, ch. 4).

By the known accesses of the threads from their local states on, no other thread will take a step that depends on the
next steps of these. So the others can wait. Sets of places are numbers with a bit for each.

Cost: a few hundred nanoseconds per thread if one is independent of all others; otherwise per pair of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mazurka.explore.thread_models.local_state import LocalState


def persistent(standing: Sequence[LocalState], enabled: Sequence[int], last: int) -> list[int]:
    """The enabled threads of the smallest set found; ``standing`` are the local states of threads that have not ended.

    Among sets of the same size, that of the thread that moved ``last`` is preferred.
    """
    order = [last, *enabled] if last in enabled else enabled
    moments = {moment.thread: moment for moment in standing}
    alone = _alone(moments, order)
    if alone >= 0:
        return [alone]
    best, most = list(enabled), len(enabled)
    masks: dict[int, int] = {}
    for first in order:
        inside = _closure(moments, first, masks)
        moving = [thread for thread in enabled if inside >> thread & 1]
        if len(moving) < most:
            best, most = moving, len(moving)
            if most == 1:
                break
    return best


def _alone(moments: Mapping[int, LocalState], order: Sequence[int]) -> int:
    """A thread whose next step is independent of all others; -1 if there is none."""
    touched = touched_again = written = written_again = 0
    for moment in moments.values():
        read, wrote = moment.reach
        read |= wrote
        touched_again |= touched & read
        touched |= read
        written_again |= written & wrote
        written |= wrote
    for thread in order:
        moment = moments[thread]
        reads, writes = moment.near
        read, wrote = moment.reach
        if not (writes & (touched_again | touched & ~(read | wrote)) or reads & (written_again | written & ~wrote)):
            return thread
    return -1


def _closure(moments: Mapping[int, LocalState], first: int, masks: dict[int, int]) -> int:
    """The threads that have to be in a set with ``first``, as bits; ``masks`` caches the threads that each one requires
    directly."""
    inside = 1 << first
    work = [first]
    while work:
        thread = work.pop()
        drags = masks.get(thread)
        if drags is None:
            reads, writes = moments[thread].near
            drags = 0
            for moment in moments.values():
                read, written = moment.reach
                if writes & (read | written) or reads & written:
                    drags |= 1 << moment.thread
            masks[thread] = drags
        fresh = drags & ~inside
        inside |= fresh
        while fresh:
            lowest = fresh & -fresh
            work.append(lowest.bit_length() - 1)
            fresh ^= lowest
    return inside
