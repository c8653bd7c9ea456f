"""Garbage in cycles is collected at the end of a run, and finalisers go on as they would without a look at them."""

from __future__ import annotations

import pytest

from mazurka.program.python.isolation import cycles


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_finaliser_still_has_its_object(is_kept: bool) -> None:
    ended = []

    class Node:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            ended.append(type(self).__name__)

    node = Node()
    kept = frozenset({id(node)} if is_kept else ())
    del node
    cycles.collect([], kept=kept)
    assert ended == ["Node"]
