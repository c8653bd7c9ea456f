"""An error says what, where and what to do, and survives a trip between processes."""

from __future__ import annotations

import pickle

import pytest

from mazurka.errors import MazurkaError, UsageError


def test_message_has_place_fact_and_advice() -> None:
    error = UsageError("config-value", "limit = -1 is not valid", where="pyproject.toml", hint="expected a number")
    assert str(error) == "pyproject.toml: limit = -1 is not valid; expected a number"


def test_message_without_place_and_advice() -> None:
    assert str(MazurkaError("disk-full", "nothing could be saved")) == "nothing could be saved"


def test_names_its_heading() -> None:
    assert MazurkaError("disk-full", "x").reference == "docs/reference/errors.md#disk-full"


@pytest.mark.parametrize("kind", [MazurkaError, UsageError])
def test_pickles(kind: type[MazurkaError]) -> None:
    error = pickle.loads(pickle.dumps(kind("disk-full", "what", where="where", hint="hint")))
    assert type(error) is kind
    assert (error.slug, error.what, error.where, error.hint) == ("disk-full", "what", "where", "hint")
    assert error.exit_status == 2
