"""Executions in saved searches are read without `marshal`: their files may come from elsewhere."""

from __future__ import annotations

import marshal
import random
import zlib
from typing import Any

import pytest
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram

from mazurka.errors import MazurkaError
from mazurka.explore.thread_models.compressed_runs import CompressedRun
from mazurka.explore.thread_models.plain_values import plain_value
from mazurka.program.protocol import Plan

VALUES: list[Any] = [
    (None, True, False, 0, -1, 1 << 31, -(1 << 31), 10**40, -(10**40), 1.5, float("-inf"), 2j),
    ("", "a", "é" * 300, "\ud800", b"", b"\0\xff", "x" * 300, "thread"),
    [(), [], {}, ((("a", 1),),), {("a", 1): [None], "b": ()}],
    [("shared", 1)] * 3,
    tuple(range(300)),
]


def _told(packed: CompressedRun) -> Any:
    return marshal.loads(zlib.decompress(packed.content))


@pytest.mark.parametrize("version", [2, 3, 4])
def test_plain_values_are_read_as_written(version: int) -> None:
    for value in VALUES:
        assert plain_value(marshal.dumps(value, version)) == value


def test_nothing_else_is_read() -> None:
    deep: Any = ()
    for _ in range(500):
        deep = (deep,)
    nothing = [b"", b"(", b"r\0\0\0\0", b"\xdb\1\0\0\0r\0\0\0\0", b"0", b")\x010", b"{NN", b"{[\0\0\0\0N0", b"NN"]
    for data in [marshal.dumps(compile("1", "", "eval")), marshal.dumps({1}), marshal.dumps(deep), *nothing]:
        with pytest.raises(ValueError, match="byte"):
            plain_value(data)


def test_saved_runs_are_read_and_damaged_ones_refused() -> None:
    rng, refused = random.Random(3), 0
    for number in range(60):
        packed = CompressedRun.of(OracleProgram(random_program(number)).execute(Plan(values=True)))
        assert _told(CompressedRun.read(packed.content)) == _told(packed)
        for _ in range(20):
            plain = bytearray(zlib.decompress(packed.content))
            plain[rng.randrange(len(plain))] = rng.choice((rng.randrange(256), *b"Ni()[{0rc"))
            try:
                CompressedRun.read(zlib.compress(plain)).run()
            except MazurkaError as error:
                assert error.slug == "search-damaged"
                refused += 1
        with pytest.raises(MazurkaError):
            CompressedRun.read(packed.content[:-9])
    assert refused > 100
