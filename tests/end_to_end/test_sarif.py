"""The output of ``--format sarif`` is valid SARIF 2.1.0 by the schema that OASIS publishes: for every kind of failure
as a user gets it, and for generated reports, awkward ones among them.

The schema is not ours to keep here. The package ``linceo`` (Apache-2.0, a development dependency) ships it unchanged;
only that file of it is read, nothing is imported, and the hash says that it is OASIS' own: errata 01, the one that our
reports name as their ``$schema``.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.later import Later

from mazurka.predict.kinds.registry import KINDS
from mazurka.program.protocol import Failure, FailureKind
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.finding import Column, Explanation, Finding, FindingEvent, Fold, Row
from mazurka.report.prediction_report import PredictionReport
from mazurka.report.render import renderer
from mazurka.report.renderer import AnyReport
from mazurka.trace.event import Location

jsonschema = Later("jsonschema")

_SHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"

_THREADED = """\
import threading

def start(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

a, b = threading.Lock(), threading.Lock()
value, log = 0, []
"""

_ONE = """
def one():
    global value
    seen = value
    value = seen + 1
"""

#: Way to end -> a program that ends so, further options, and the kinds of failures that are reported.
_PROGRAMS: dict[str, tuple[str, tuple[str, ...], set[FailureKind]]] = {
    "deadlock": (
        "def one():\n    with a, b: pass\ndef two():\n    with b, a: pass\nstart(one, two)\n",
        (),
        {FailureKind.DEADLOCK},
    ),
    "exception in a thread": (
        "def one():\n    log.append(1)\ndef two():\n    if log: log.remove(2)\nstart(one, two)\n",
        (),
        {FailureKind.EXCEPTION},
    ),
    "assertion": (f"{_ONE}start(one, one)\nassert value == 2\n", (), {FailureKind.ASSERTION}),
    "invariant": (f"{_ONE}start(one, one)\n", ("--invariant", "value == 2"), {FailureKind.INVARIANT}),
    "blocked": (
        "ready = threading.Condition()\n"
        "def one():\n    with ready: ready.wait()\n"
        "def two():\n    with ready: ready.notify()\nstart(one, two)\n",
        (),
        {FailureKind.BLOCKED},
    ),
    "livelock": ("def one():\n    while not value: pass\nstart(one)\n", (), {FailureKind.LIVELOCK}),
    "exit": (
        f"import sys\n{_ONE}start(one, one)\nif value != 2: sys.exit(3)\n",
        (),
        {FailureKind.EXIT},
    ),
    "several": (
        f"{_ONE}def two():\n    if value == 1: raise KeyError(value)\nstart(one, one, two)\nassert value == 2\n",
        ("--all-failures",),
        {FailureKind.EXCEPTION, FailureKind.ASSERTION},
    ),
    "none": ("def one():\n    with a: log.append(1)\nstart(one, one)\n", (), set()),
    "inconclusive": (f"{_ONE}start(one, one)\n", ("--max-executions", "1"), set()),
}


@cache
def _official() -> Any:
    text = Path(str(distribution("linceo").locate_file("linceo/data/sarif-schema-2.1.0.json"))).read_bytes()
    assert hashlib.sha256(text).hexdigest() == _SHA256
    schema = json.loads(text)
    jsonschema.Draft4Validator.check_schema(schema)
    return jsonschema.Draft4Validator(schema)


def _assert_valid(log: Any) -> None:
    """Validate a log by the schema, and by its ``format``s, which a schema can't check: those of addresses."""
    assert log["$schema"] == _official().schema["id"]
    assert [f"{list(error.absolute_path)}: {error.message}" for error in _official().iter_errors(log)] == []
    for text in _addresses(log["runs"]):
        assert text.isascii()
        assert not set(text) & set(' "<>\\^`{|}')
        urlsplit(text)


def _addresses(part: Any) -> list[str]:
    if isinstance(part, list):
        return [text for each in part for text in _addresses(each)]
    if isinstance(part, dict):
        mine = [part["uri"]] if "uri" in part else []
        return mine + [text for each in part.values() for text in _addresses(each)]
    return []


@pytest.mark.parametrize("name", list(_PROGRAMS))
def test_what_a_check_writes(shell: Any, name: str) -> None:
    body, options, kinds = _PROGRAMS[name]
    shell.write("program.py", _THREADED + body)
    done = shell.run("check", "program.py", "--format", "sarif", *options, status=1 if kinds else 0)
    log = json.loads(done.stdout)
    _assert_valid(log)
    results = log["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {kind.value for kind in kinds}
    assert all(len(result["codeFlows"]) == 2 for result in results)


_TEXT = st.text(max_size=12)
_FILES = st.one_of(
    st.sampled_from(["/root/app/ba nk.py", "/root/é/%41.py", "/lib/site-packages/p.py", "<string>", "a\\b.py", ""]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9),
)
_LOCATIONS = st.none() | st.builds(Location, _FILES, st.integers(0, 99), st.integers(0, 9), _TEXT)
_THREADS = st.sampled_from(["0", "0.1", "0.2"])
_ROWS = st.one_of(
    st.builds(
        Row,
        st.integers(1, 99),
        _THREADS,
        st.lists(_TEXT, max_size=2).map(tuple),
        _LOCATIONS,
        _TEXT,
        note=_TEXT,
        failing=st.booleans(),
    ),
    st.builds(Fold, st.just((("main", 2),))),
)
_COLUMNS = st.lists(_THREADS, unique=True).map(lambda names: tuple(Column(name, f"thread {name}") for name in names))
_FAILURES = st.builds(Failure, st.sampled_from(FailureKind), _TEXT, _THREADS, _LOCATIONS)
_EVENTS = st.builds(FindingEvent, st.integers(0, 99), _THREADS, _TEXT, _TEXT, _LOCATIONS)
_EXPLANATIONS = st.builds(Explanation, _COLUMNS, st.lists(_ROWS, max_size=5).map(tuple), st.none(), _TEXT)


def _finding(failure: Failure, explanation: Explanation, events: list[FindingEvent]) -> Finding:
    return Finding(
        failure.kind.value,
        failure.message,
        failure.thread,
        failure.location,
        explanation,
        "",
        tuple(events),
        failure=failure,
    )


def _predicted(kind: str, explanation: Explanation, events: list[FindingEvent], text: str) -> Finding:
    return Finding(kind, text, text, events[0].location, explanation, text, tuple(events))


_FINDINGS = st.builds(_finding, _FAILURES, _EXPLANATIONS, st.lists(_EVENTS, max_size=3))
_PREDICTIONS = st.builds(
    PredictionReport,
    _FILES,
    st.just("auto"),
    st.integers(0, 9),
    st.integers(0, 9),
    st.just(tuple(KINDS)),
    findings=st.lists(
        st.builds(_predicted, st.sampled_from(list(KINDS)), _EXPLANATIONS, st.lists(_EVENTS, min_size=1), _TEXT),
        max_size=3,
    ),
    refused=st.lists(_TEXT, max_size=1),
)
_REPORTS = st.builds(
    CheckReport,
    _FILES,
    st.sampled_from(Verdict),
    _TEXT,
    findings=st.lists(_FINDINGS, max_size=3).map(tuple),
    root=st.sampled_from(["", "/root", "/root/é x"]),
)


@settings(max_examples=150)
@given(_REPORTS | _PREDICTIONS)
def test_whatever_there_is_to_report(report: AnyReport) -> None:
    _assert_valid(json.loads(renderer("sarif").render(report)))
