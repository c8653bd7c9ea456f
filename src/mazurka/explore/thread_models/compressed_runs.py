"""Compressed runs: the data that explorers learn from, as bytes.

Runs packed by this process are unpacked by `marshal`. Bytes from a saved search, which may come from any source, are
read by :meth:`CompressedRun.read`, which validates them.

Cost: some ten bytes a step, and a few microseconds a step to pack or unpack a run; ten microseconds a step to read one.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Sequence
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.explore.thread_models.plain_values import plain_value
from mazurka.program.protocol import Access, Blocked, Choice, Divergence, Run, Step
from mazurka.trace.event import Op
from mazurka.trace.ids import PointIndex

#: The most bytes of an unpacked run.
_LARGEST: Final = 1 << 28

#: Operations by number: a look-up is ten times as fast as that of the enumeration.
_OPS: Final = tuple(Op)


class CompressedRun:
    """A run, packed."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content

    @classmethod
    def of(cls, run: Run) -> CompressedRun:
        """Compress the parts of a run that learning needs; failures and values as objects are dropped."""
        return cls(zlib.compress(marshal.dumps(_plain(run)), 1))

    @classmethod
    def read(cls, content: bytes) -> CompressedRun:
        """A run that an earlier process packed; a MazurkaError if the bytes are malformed."""
        try:
            opened = zlib.decompressobj()
            plain = plain_value(opened.decompress(content, _LARGEST))
            if not opened.eof:
                raise ValueError("it ends too early")
        except (TypeError, ValueError, zlib.error) as error:
            raise _damaged(str(error)) from None
        if not _is_run(plain):
            raise _damaged("the record of an execution is malformed")
        return cls(zlib.compress(marshal.dumps(plain), 1))

    def run(self) -> Run:
        """The parts of the run that learning needs."""
        tasks, log, choices, blocked, first, daemons, idle, truncated, settled, diverged, limited = marshal.loads(
            zlib.decompress(self.content)
        )
        run = Run(
            tasks,
            [
                Step(t, _OPS[op], target, site, p, v, _accesses(more) if more else ())
                for t, op, target, site, p, v, more in log
            ],
            [Choice(*choice) for choice in choices],
        )
        run.blocked = [Blocked(task, Op(op), target, site, *rest) for task, op, target, site, *rest in blocked]
        run.first, run.daemons, run.truncated, run.settled, run.limited = first, daemons, truncated, settled, limited
        run.idle = idle
        if diverged:
            run.divergence = Divergence(PointIndex(0), "", "")
        return run


class Record:
    """A run that was learnt from."""

    __slots__ = ("idle", "objects", "packed", "refused", "scouted")

    def __init__(self, packed: CompressedRun, idle: int, refused: str) -> None:
        self.packed = packed
        self.idle = idle
        self.refused = refused  # the thread that could not move at its end, although the seed wanted it to
        self.scouted = False
        self.objects: dict[int, int] = {}  # the run's numbers of objects -> ours


def _plain(run: Run) -> tuple[Any, ...]:
    return (
        run.tasks,
        [(t, int(op), at, site, p, v, _plain_accesses(m) if m else ()) for t, op, at, site, p, v, m in run.entries()],
        [(point, chosen, enabled) for point, chosen, enabled in run.decisions()],
        [(b.task, int(b.op), b.target, b.site, b.repeats, b.point, b.wake) for b in run.blocked],
        run.first,
        run.daemons,
        run.idle,
        run.truncated,
        run.settled,
        run.divergence is not None,
        run.limited or bool(run.untracked or run.uncontrolled),
    )


def _plain_accesses(more: Sequence[Access]) -> tuple[tuple[int, Any, Any], ...]:
    return tuple([(int(access.op), access.target, access.value) for access in more])


def _accesses(plain: Sequence[tuple[int, Any, Any]]) -> tuple[Access, ...]:
    return tuple([Access(_OPS[op], target, value) for op, target, value in plain])


def _damaged(message: str) -> MazurkaError:
    return MazurkaError("search-damaged", f"a saved search can't be read: {message}", hint="delete .mazurka/searches")


def _is_run(data: Any) -> bool:
    """Whether the data has the shape that :func:`_plain` makes."""
    match data:
        case (list(tasks), list(log), list(choices), list(blocked), dict(), tuple(daemons), *flags):
            threads = range(len(tasks))
            return (
                all(isinstance(task, str) for task in tasks)
                and all(_is_step(step, threads) for step in log)
                and all(_is_choice(choice) for choice in choices)
                and all(_is_blocked(each, threads) for each in blocked)
                and all(task in threads for task in daemons)
                and [type(flag) for flag in flags] == [bool, str, bool, bool, bool]
            )
    return False


def _is_step(data: Any, threads: range) -> bool:
    match data:
        case (int(task), int(op), tuple(target), int(), bool(), _, tuple(more)):
            return task in threads and _touches(op, target) and all(map(_is_access, more))
    return False


def _is_access(data: Any) -> bool:
    match data:
        case (int(op), tuple(target), _):
            return _touches(op, target)
    return False


def _is_choice(data: Any) -> bool:
    match data:
        case (int(), int(), tuple(enabled)):
            return all(isinstance(task, int) for task in enabled)
    return False


def _is_blocked(data: Any, threads: range) -> bool:
    match data:
        case (int(task), int(op), tuple(target), int(), None | tuple(), bool(), None | tuple() as wake):
            return task in threads and _touches(op, target) and (wake is None or _touches(op, wake))
    return False


def _touches(op: int, target: tuple[Any, ...]) -> bool:
    return 0 <= op < len(Op) and target != () and isinstance(target[0], str)
