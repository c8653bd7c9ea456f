"""Where BRANCH events of recordings go, however the recording is divided into segments."""

from __future__ import annotations

import numpy as np
import pytest

from mazurka.program.python.recording.branches import Branches
from mazurka.trace.columns import Columns, joined
from mazurka.trace.event import Op

_BRANCH = 9


def _columns(*rows: tuple[int, Op, int, int]) -> Columns:
    """Of rows (thread, operation, target, site)."""
    thread, op, target, site = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    return Columns(thread, op.astype(np.int8), target, np.full(len(rows), -1, np.int32), site)


def _with_branches(segments: list[Columns]) -> list[tuple[int, Op, int]]:
    branches = Branches()
    counts = [branches.look_at(each, 3, []) for each in segments]
    if not branches.idle(np.ones(3, np.bool_)):
        return []
    whole = joined([branches.put_into(*pair, _BRANCH) for pair in zip(segments, counts, strict=True)])
    return [(int(t), Op(o), int(x)) for t, o, x in zip(whole.thread, whole.op, whole.target, strict=True)]


def _count(thread: int) -> list[tuple[int, Op, int, int]]:
    return [(thread, Op.READ, 0, 1), (thread, Op.WRITE, 0, 1)]


_LOOK = (0, Op.READ, 1, 2)
_ROWS = [
    *_count(0),
    _LOOK,
    *_count(1),
    (0, Op.READ, 0, 1),
    (1, Op.READ, 0, 1),
    (0, Op.WRITE, 0, 1),
    (1, Op.WRITE, 0, 1),
]


def test_all_but_increments() -> None:
    found = _with_branches([_columns(*_ROWS)])
    assert [place for place, (_, op, _) in enumerate(found) if op is Op.BRANCH] == [0, 6]
    assert found[6] == (0, Op.BRANCH, _BRANCH)
    assert [row for row in found if row[1] is not Op.BRANCH] == [row[:3] for row in _ROWS]


@pytest.mark.parametrize("place", range(2, len(_ROWS)))
def test_segments_make_no_difference(place: int) -> None:
    """But where the very first increment is divided: then nobody knows what was there before."""
    divided = _with_branches([_columns(*_ROWS[:place]), _columns(*_ROWS[place:])])
    assert divided == _with_branches([_columns(*_ROWS)])


@pytest.mark.parametrize(
    "more",
    [
        [(1, Op.WRITE, 0, 3)],  # whatever that was
        [(1, Op.READ, 0, 3), (1, Op.WRITE, 0, 4)],  # two expressions
        [(1, Op.READ, 0, 1), (1, Op.BRANCH, 2, 1), (1, Op.WRITE, 0, 1)],  # no integers
        [*_count(1), (1, Op.RMW, 2, 1)],  # a key is new
        [(1, Op.READ, 0, 1), (1, Op.READ, 2, 5), (1, Op.WRITE, 0, 1)],  # something is added that was read
        [(1, Op.READ, 0, 1), (1, Op.READ, 2, 1), (1, Op.WRITE, 0, 1), (0, Op.WRITE, 2, 5)],
    ],
)
def test_once_in_doubt_always_in_doubt(more: list[tuple[int, Op, int, int]]) -> None:
    assert _with_branches([_columns(*_count(0), *_count(1))])
    assert _with_branches([_columns(*_count(0), *more, *_count(1))]) == []
    assert _with_branches([_columns(*_count(0), *_count(1)), _columns(*more)]) == []


def test_in_doubt_from_the_beginning() -> None:
    assert _with_branches([_columns((1, Op.READ, 0, 7), *_count(0), *_count(1))]) == []


def test_what_shows_through_and_is_never_written() -> None:
    first = [(0, Op.READ, 0, 1), (0, Op.READ, 2, 1), (0, Op.WRITE, 0, 1)]
    assert _with_branches([_columns(*first, *_count(1))])
