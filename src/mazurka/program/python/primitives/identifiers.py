"""Identifiers of threads: the system may give a thread the identifier of another one that has ended.

As long as a program asks for the identifier of no more than one thread beside the main one, the reuse is not
observable. Otherwise the threads whose identifiers it asks for are remembered for later runs: the start of one of them
reads which of the others have ended, and the thread gets the identifier of the first of these that no thread has.

Departure: the thread always gets one of these identifiers, and always the first. If several threads that are sure to
have ended may have had it, this is untracked.
"""

from __future__ import annotations

import sys
from typing import Final
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.python.primitives.run import Models, count_untracked, first_outer_frame, is_of_record
from mazurka.program.runtime.concurrency import ends_known
from mazurka.program.runtime.task import END_POINTS, IDENT_POINTS, POOL_POINTS, Task
from mazurka.trace.event import Op

_MARK: Final = 1 << 36


def _mark(name: str) -> int:
    """The mark among points that the program asks for the identifier of a thread."""
    return -1 - (crc32(name.encode()) | _MARK)


def reveal(models: Models, task: Task) -> None:
    """The identifier of a thread is about to be passed to the program, which may read it."""
    runtime = models.runtime
    frame = first_outer_frame(sys._getframe(1))
    if task.index == 0 or frame is None:
        return
    if str(frame.f_globals.get("__name__")).partition(".")[0] in sys.stdlib_module_names:
        return
    ask_own(models)
    runtime.tell_apart(task)
    models.identified.add(task.index)
    runtime.need_points(_mark(task.name))
    if len(models.identified) > 1:
        runtime.need_points(END_POINTS)
        runtime.need_points(IDENT_POINTS)


def ask_own(models: Models) -> None:
    """The running thread's identity or thread-local state is read: in CPython a task of an executor has those of a
    worker."""
    if models.runtime.current.pool is None:
        return
    frame = first_outer_frame(sys._getframe(1))
    if frame is None or is_of_record(frame):  # for records, handlers decide: see python/outside/logging_state.py
        return
    if not str(frame.f_globals.get("__name__")).startswith("mazurka."):  # no look by a report
        models.runtime.need_points(POOL_POINTS)


def ask_all(models: Models) -> None:
    """The program looks at the list of threads."""
    if models.pools:
        models.runtime.need_points(POOL_POINTS)


def _others(models: Models) -> list[Task]:
    """The threads whose identifiers the thread that is about to be started might get."""
    runtime = models.runtime
    if IDENT_POINTS not in runtime.points:
        return []
    points, me = runtime.points, runtime.current
    if _mark(f"{me.name}.{me.births + 1}") not in points:
        return []
    return [each for each in runtime.tasks[1:] if each is not me and _mark(each.name) in points]


def looks(models: Models) -> tuple[Access, ...]:
    """The reads of a thread's start: whether other threads have ended."""
    return tuple([Access(Op.READ, each.life) for each in _others(models)])


def pass_on(models: Models) -> None:
    """Choose the identifier of the thread that is about to be started."""
    runtime = models.runtime
    others = _others(models)
    if not others:
        return
    me = runtime.current
    used = {models.ident(each) for each in (me, *others) if not each.done}
    free = {models.ident(each): each for each in others if each.done}
    left = [number for number in free if number not in used]
    if not left:
        return
    _, ended = ends_known(runtime)
    if len({models.ident(each) for each in others if each.index in ended} - used) > 1:
        count_untracked(runtime, "the identifier of a thread, which may be that of several earlier ones")
    models.passed_on[f"{me.name}.{me.births + 1}"] = left[0]
