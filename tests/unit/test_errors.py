"""An error names the problem, its place and a remedy, and survives a trip between processes."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from mazurka.errors import MazurkaError, UsageError, did_you_mean


def test_message_has_place_fact_and_advice() -> None:
    error = UsageError("config-value", "limit = -1 is not valid", where="pyproject.toml", hint="expected a number")
    assert str(error) == "pyproject.toml: limit = -1 is not valid; expected a number"


def test_message_without_place_and_advice() -> None:
    assert str(MazurkaError("disk-full", "nothing could be saved")) == "nothing could be saved"


def test_names_the_command_that_explains_it() -> None:
    assert MazurkaError("disk-full", "x").reference == "mazurka explain disk-full"


def test_a_hint_names_the_nearest_name_only() -> None:
    assert did_you_mean("Strategi", ["seed", "strategy"]) == "did you mean strategy?"
    assert did_you_mean("zzz", ["seed", "strategy"]) == ""


@pytest.mark.parametrize("kind", [MazurkaError, UsageError])
def test_pickles(kind: type[MazurkaError]) -> None:
    error = pickle.loads(pickle.dumps(kind("disk-full", "what", where="where", hint="hint")))
    assert type(error) is kind
    assert (error.slug, error.what, error.where, error.hint) == ("disk-full", "what", "where", "hint")
    assert error.exit_status == 2


def test_a_wheel_carries_the_explanations(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    (wheel,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("mazurka/errors.md") == (root / "docs/reference/errors.md").read_bytes()
