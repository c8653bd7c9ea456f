"""A schedule survives its file and its token; whatever was done to either is noticed and said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazurka.errors import MazurkaError
from mazurka.replay import codec
from mazurka.replay.points import Point
from mazurka.replay.schedule import SavedFailure, SavedStep, Schedule

_TEXT = st.text(max_size=12)
_THREADS = st.sampled_from(["0", "0.1", "0.2", "0.1.1"])
_STEPS = st.builds(
    SavedStep,
    _THREADS,
    st.sampled_from(["read", "write"]),
    _TEXT,
    _TEXT,
    st.integers(0, 9999),
    _TEXT,
    _TEXT,
    st.just(1),
)
_FAILURES = st.builds(SavedFailure, st.just("assertion"), _TEXT, _THREADS, _TEXT, _TEXT, _TEXT)
_POINTS = st.lists(
    st.builds(Point, _TEXT, st.integers(-3, 1 << 20), _TEXT, _TEXT, st.integers(0, 99), st.integers(0, 3)),
    max_size=8,
    unique_by=lambda point: (point.file, point.number),
).map(lambda points: tuple(sorted(points)))
_SCHEDULES = st.builds(
    Schedule,
    target=_TEXT,
    arguments=st.lists(_TEXT, max_size=3).map(tuple),
    program=_TEXT,
    prefix=st.lists(_THREADS, max_size=40).map(tuple),
    failure=_FAILURES,
    steps=st.lists(_STEPS, max_size=5).map(tuple),
    points=_POINTS,
    options=st.dictionaries(_TEXT, st.one_of(_TEXT, st.booleans(), st.lists(_TEXT, max_size=2)), max_size=3),
)

_EXAMPLE = Schedule(
    target="examples/bank.py::main",
    arguments=("--fast",),
    program="0123456789abcdef",
    prefix=("0.1", "0.1", "0.2", "0.1"),
    failure=SavedFailure("assertion", "AssertionError: 150", "0", "examples/bank.py:26", "AssertionError", "f00d"),
    steps=(SavedStep("0.1", "read", "account.balance", "examples/bank.py", 11, "deposit", "self.balance += 1", 1),),
    points=(
        Point("", -1),
        Point("examples/bank.py", 3, "deposit", "self.balance += 1", 8),
        Point("examples/bank.py", 4),
    ),
    options={"include": ["cachetools"]},
)


@given(_SCHEDULES)
def test_a_file_gives_back_what_was_saved(schedule: Schedule) -> None:
    assert codec.from_json(codec.to_json(schedule)) == schedule


@given(_SCHEDULES)
def test_a_token_gives_back_the_essentials(schedule: Schedule) -> None:
    read = codec.from_token(codec.to_token(schedule))
    for name in ("target", "arguments", "program", "prefix", "options", "memory_model", "python"):
        assert getattr(read, name) == getattr(schedule, name)
    assert read.failure.fingerprint == schedule.failure.fingerprint
    assert read.steps == ()
    numbers = [(point.file, point.number) for point in schedule.points]
    assert sorted((point.file, point.number) for point in read.points) == sorted(numbers)


def test_a_token_can_be_typed_into_a_shell_and_is_short() -> None:
    token = codec.to_token(_EXAMPLE)
    assert token.startswith("mz1-")
    assert codec.is_token(token)
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert len(token) < 300


@given(st.data())
def test_no_changed_token_is_taken_for_good(data: st.DataObject) -> None:
    token = codec.to_token(_EXAMPLE)
    if data.draw(st.booleans(), label="cut short"):
        broken = token[: data.draw(st.integers(4, len(token) - 1))]
    else:
        at = data.draw(st.integers(4, len(token) - 2))
        other = data.draw(st.sampled_from([each for each in "aZ0-_*" if each != token[at]]))
        broken = token[:at] + other + token[at + 1 :]
    with pytest.raises(MazurkaError) as caught:
        codec.from_token(broken)
    assert caught.value.slug == "schedule-corrupt"
    assert "token" in str(caught.value)


@given(st.data())
def test_no_changed_file_is_taken_for_good(data: st.DataObject) -> None:
    text = codec.to_json(_EXAMPLE)
    at = data.draw(st.integers(0, len(text) - 3))
    broken = text[:at] if data.draw(st.booleans(), label="cut short") else text[:at] + "7" + text[at + 1 :]
    try:
        read = codec.from_json(broken, "a.json")
    except MazurkaError as error:
        assert error.slug in ("schedule-corrupt", "schedule-version")
        assert "a.json" in str(error)
    else:
        assert read == _EXAMPLE


def test_other_versions_are_refused_by_name() -> None:
    data = json.loads(codec.to_json(_EXAMPLE))
    data["format"] = 7
    with pytest.raises(MazurkaError, match="format version 7") as caught:
        codec.from_json(json.dumps(data))
    assert caught.value.slug == "schedule-version"
    with pytest.raises(MazurkaError, match="format version 9"):
        codec.from_token("mz9-AAAA")


def test_a_file_that_is_no_schedule_is_refused() -> None:
    for text in ("", "[]", "{}", "\x00", "nonsense"):
        with pytest.raises(MazurkaError) as caught:
            codec.from_json(text, "a.json")
        assert caught.value.slug == "schedule-corrupt"


def test_saving_and_loading(tmp_path: Path) -> None:
    path = codec.write_schedule(_EXAMPLE, tmp_path / "new" / "failures")
    assert path.name == f"{_EXAMPLE.short_hash}.json"
    assert codec.load(str(path)) == _EXAMPLE
    assert codec.load(codec.to_token(_EXAMPLE)).prefix == _EXAMPLE.prefix
    assert os.listdir(path.parent) == [path.name]


def test_the_same_bug_is_saved_under_the_same_name(tmp_path: Path) -> None:
    other = Schedule(_EXAMPLE.target, (), _EXAMPLE.program, ("0.2",), _EXAMPLE.failure)
    assert codec.write_schedule(_EXAMPLE, tmp_path) == codec.write_schedule(other, tmp_path)


def test_where_nothing_can_be_saved_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MazurkaError) as caught:
        codec.write_schedule(_EXAMPLE, tmp_path / "file" / "failures")
    assert caught.value.slug == "schedule-not-saved"
    assert "token" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MazurkaError, match=r"gone\.json") as caught:
        codec.load(str(tmp_path / "gone.json"))
    assert caught.value.slug == "schedule-not-found"


def test_a_file_can_be_read_by_people() -> None:
    text = codec.to_json(_EXAMPLE)
    assert '  ["0.1", "read", "account.balance", "examples/bank.py", 11, "deposit", "self.balance += 1", 1]' in text
    assert ' "target": "examples/bank.py::main",' in text
