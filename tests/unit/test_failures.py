"""Which exceptions are failures of the program, and which are faults of Mazurka."""

from __future__ import annotations

import os

import pytest

from mazurka.program.python import failures
from mazurka.program.python.semantics import class_shapes, classification, handed_objects, operators
from mazurka.program.python.semantics.classification import classify


def test_all_modules_that_observe_are_there() -> None:
    """A module that is renamed or parted must not turn its faults into failures of programs."""
    assert [path for path in failures.WATCHING if not os.path.isfile(path)] == []


@pytest.mark.parametrize("module", [class_shapes, classification, handed_objects, operators])
def test_modules_parted_from_others_observe_as_well(module: object) -> None:
    assert vars(module)["__file__"] in failures.WATCHING


def test_a_fault_in_such_a_module_is_ours() -> None:
    with pytest.raises(TypeError) as raised:
        classify(int, [])  # type: ignore[arg-type]  # no name can be a list
    assert "fault of Mazurka" in failures.fault_of_ours(raised.value)
