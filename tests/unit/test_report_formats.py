"""Every format keeps its promises: JSON has its schema, SARIF conforms to its standard, and so on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from tests.later import Later

from mazurka.errors import UsageError
from mazurka.program.protocol import Failure, FailureKind, Frame
from mazurka.replay.switches import Cost
from mazurka.report.check_report import CheckReport, CoveredScope, Verdict
from mazurka.report.finding import (
    BugShape,
    CheckedWitness,
    Column,
    Explanation,
    Finding,
    FindingEvent,
    Fold,
    HeldLock,
    Row,
    WitnessTurn,
)
from mazurka.report.prediction_report import PredictionReport
from mazurka.report.render import FORMATS, renderer
from mazurka.report.render_json import PREDICT_SCHEMA_PATH, SCHEMA_PATH
from mazurka.report.renderer import AnyReport
from mazurka.trace.event import Location

jsonschema = Later("jsonschema")

_ROOT = "/home/somebody/project"
_PLACE = Location(f"{_ROOT}/app/bank.py", 11, 8, "deposit")
_LIBRARY = Location("/usr/lib/x/site-packages/pkg/pool.py", 40, 0, "get")
_CALL = Frame(Location(f"{_ROOT}/app/main.py", 3, 0, "main"), "bank.deposit(50)")
_ROWS = (
    Row(4, "0.1", ("reads account.balance = 100",), _PLACE, "self.balance += amount"),
    Fold((("main", 2), ("Thread-1", 1))),
    Row(8, "0.2", ("reads x = 1", "writes x = 2"), _LIBRARY, "self.x = self.x + 1", _CALL, "0.2 runs in between"),
    Row(12, "0", ('raises AssertionError: 100%,\n"<two>" lines',), _PLACE, "assert balance == 200", failing=True),
)
_EXPLANATION = Explanation(
    (Column("0", "main"), Column("0.1", "Thread-1"), Column("0.2", "Thread-2")),
    _ROWS,
    BugShape.LOST_UPDATE,
    "Lost update: one of them overwrites the other.",
)
_FAILURE = Failure(
    FailureKind.ASSERTION,
    'AssertionError: 100%,\n"<two>" lines\x00',
    "0",
    _PLACE,
    "AssertionError",
    (Frame(_PLACE, ""),),
)
_STEPS = (
    FindingEvent(1, "0.1", "reads", "x", _PLACE, value="1"),
    FindingEvent(2, "0", "reads", "x", _PLACE, value="1"),
)
_FINDING = Finding(
    "assertion",
    _FAILURE.message,
    "0",
    _PLACE,
    _EXPLANATION,
    "0123456789abcdef",
    events=(FindingEvent(3, "0", "fails with", "AssertionError", _PLACE, held=(HeldLock("l", 1),)),),
    witness=CheckedWitness("Fails", (WitnessTurn("0.1", 1, 1), WitnessTurn("0", 1, 2))),
    replayed=True,
    label="main",
    engine="mcr",
    failure=_FAILURE,
    execution=_STEPS,
    cost=Cost(preemptions=1, switches=2, points=7),
    schedule=".mazurka/failures/a.json",
    token="mz1-AAAA",
    replay="mazurka replay .mazurka/failures/a.json",
    output="first\nsecond\n",
)
_VIOLATION = CheckReport(
    "app/bank.py",
    Verdict.VIOLATION,
    "stopped at the first failure",
    executions=3,
    seconds=0.5,
    findings=(_FINDING,),
    root=_ROOT,
)
_VERIFIED = CheckReport(
    "app/bank.py", Verdict.VERIFIED, executions=9, complete=True, scope=CoveredScope(3, 14, 5), root=_ROOT
)
_INCONCLUSIVE = CheckReport(
    "app/bank.py",
    Verdict.INCONCLUSIVE,
    "the time limit of 60 s was reached",
    untracked={"json.dumps(dict) at app/bank.py:3": 12, "b": 1, "c": 1, "d": 1},
    uncontrolled={"os.fork": 1},
    notes=("the program reads its input, which is empty",),
)
_PREDICTED = PredictionReport(
    "service.std",
    "auto",
    events=12,
    threads=2,
    kinds=("race", "atomicity"),
    findings=[
        Finding(
            "race",
            "a writes x at service.c:3; b reads x at 17",
            "a",
            Location("service.c", 3),
            Explanation((Column("a", "a"), Column("b", "b")), (), None, "nothing orders accesses of x by a, b"),
            "fedcba9876543210",
            events=(
                FindingEvent(2, "a", "writes", "x", Location("service.c", 3), "service.c:3", held=(HeldLock("l", 1),)),
                FindingEvent(8, "b", "reads", "x", Location("17", 0), "17"),
            ),
            witness=CheckedWitness(
                "Races", (WitnessTurn("b", 2, 6),), prefix=2, ending="then both accesses are enabled"
            ),
            label="a",
            engine="seqcheck",
        )
    ],
    counts={"racy_events": 1, "race_pairs": 1, "race_locations": 1, "atomicity_violations": 0},
)
_UNDECIDED = PredictionReport("service.std", "auto", 12, 2, ("deadlock",), counts={"deadlocks": 0}, undecided=3)
_CHECKS = [_VIOLATION, _VERIFIED, _INCONCLUSIVE]
_REPORTS: list[AnyReport] = [*_CHECKS, _PREDICTED, _UNDECIDED]
_IDS = ["violation", "verified", "inconclusive", "predicted", "undecided"]


@pytest.mark.parametrize("report", _CHECKS, ids=_IDS[:3])
def test_json_keeps_its_schema(report: CheckReport) -> None:
    schema = json.loads(SCHEMA_PATH.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(renderer("json").render(report))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert data["verdict"] == report.verdict.value


def test_the_schema_has_all_shapes() -> None:
    shape = json.loads(SCHEMA_PATH.read_text())["$defs"]["finding"]["properties"]["explanation"]["properties"]["shape"]
    assert {*shape["enum"]} == {*[each.value for each in BugShape], None}


def test_a_finding_has_one_shape_whoever_found_it() -> None:
    shared = [json.loads(path.read_text())["$defs"] for path in (SCHEMA_PATH, PREDICT_SCHEMA_PATH)]
    assert shared[0] == {name: part for name, part in shared[1].items() if name != "kind"}
    (met,) = json.loads(renderer("json").render(_VIOLATION))["failures"]
    (predicted,) = json.loads(renderer("json").render(_PREDICTED))["findings"]
    assert list(met) == list(predicted)
    keys = ("events", "threads", "operations", "targets")
    assert [predicted[key] for key in keys] == [[2, 8], ["a", "b"], ["writes", "reads"], ["x", "x"]]
    assert [met[key] for key in keys] == [[3], ["0"], ["fails with"], ["AssertionError"]]
    assert [each["witness"]["turns"] for each in (met, predicted)] == [[["0.1", 1], ["0", 1]], [["b", 2]]]
    assert [step["step"] for step in met["execution"]] == [1, 2]
    assert predicted["locations"][1] == {"text": "17", "file": "17", "line": None, "function": None}


@pytest.mark.parametrize(("page", "path"), [("json.md", SCHEMA_PATH), ("predict-json.md", PREDICT_SCHEMA_PATH)])
def test_every_key_of_the_schema_is_on_its_page(page: str, path: Path) -> None:
    schema = json.loads(path.read_text())
    text = Path(__file__).parents[2].joinpath("docs/reference", page).read_text()
    keys = set(schema["properties"])
    if path == SCHEMA_PATH:  # the other page links to it
        keys |= {key for part in ("finding", "step", "row") for key in schema["$defs"][part]["properties"]}
    assert sorted(key for key in keys if f"`{key}`" not in text) == []


def test_json_names_files_relative_to_the_root() -> None:
    failure = json.loads(renderer("json").render(_VIOLATION))["failures"][0]
    assert failure["location"] == {"text": "app/bank.py:11", "file": "app/bank.py", "line": 11, "function": "deposit"}
    rows = failure["explanation"]["rows"]
    assert rows[2]["location"]["file"] == "pkg/pool.py"
    assert rows[2]["caller"]["file"] == "app/main.py"
    assert rows[1] == {"folded": 3, "of": {"main": 2, "Thread-1": 1}}


@pytest.mark.parametrize("report", _REPORTS, ids=_IDS)
def test_sarif_is_what_the_standard_asks(report: AnyReport) -> None:
    log = json.loads(renderer("sarif").render(report))
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "Mazurka"
    assert run["originalUriBaseIds"]["ROOT"]["uri"].endswith("/")  # section 3.14.14
    assert len(run["results"]) == len(report.findings)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]  # section 3.27.6
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["kind"] == "fail"  # else the level must be none, section 3.27.9
        assert result["message"]["text"]
        for location in _locations(result):
            artifact = location["physicalLocation"]["artifactLocation"]
            assert ("uriBaseId" in artifact) != artifact["uri"].startswith("file://")
            assert not artifact["uri"].startswith("/")
            assert location["physicalLocation"]["region"]["startLine"] >= 1


def _locations(result: dict[str, Any]) -> list[dict[str, Any]]:
    flows = [
        step["location"]
        for flow in result.get("codeFlows", ())
        for each in flow["threadFlows"]
        for step in each["locations"]
    ]
    return [*result["locations"], *(location for location in flows if "physicalLocation" in location)]


def test_sarif_has_a_flow_for_each_thread_and_a_linear_one() -> None:
    (result,) = json.loads(renderer("sarif").render(_VIOLATION))["runs"][0]["results"]
    by_thread, linear = result["codeFlows"]
    assert [flow["id"] for flow in by_thread["threadFlows"]] == ["0", "0.1", "0.2"]
    assert all(flow["locations"] for flow in by_thread["threadFlows"])
    (only,) = linear["threadFlows"]
    assert [step["executionOrder"] for step in only["locations"]] == [1, 2, 3]
    assert result["partialFingerprints"] == {"mazurkaFailure/v1": "0123456789abcdef"}


@pytest.mark.parametrize("report", _REPORTS, ids=_IDS)
def test_junit_is_well_formed_and_counts(report: AnyReport) -> None:
    suite = Xml.fromstring(renderer("junit").render(report))[0]
    cases = suite.findall("testcase")
    assert int(suite.attrib["tests"]) == len(cases) == max(len(report.findings), 1)
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == len(report.findings)
    told = {each.attrib["name"]: each.attrib["value"] for each in suite.findall("properties/property")}
    assert told == {
        name: str(value).lower() if value is False or value is True else str(value)
        for name, value in report.facts.items()
    }


def test_workflow_commands_are_one_line_each_and_escaped() -> None:
    (line,) = renderer("github").render(_VIOLATION).splitlines()
    assert line.startswith("::error file=app/bank.py,line=11,title=Mazurka%3A lost update::AssertionError: 100%25,%0A")
    assert renderer("github").render(_VERIFIED).startswith("::notice title=")
    assert renderer("github").render(_INCONCLUSIVE).startswith("::warning title=")


def test_workflow_commands_of_predictions() -> None:
    (line,) = renderer("github").render(_PREDICTED).splitlines()
    assert line == (
        "::error file=service.c,line=3,title=Mazurka%3A race::"
        "a writes x at service.c:3; b reads x at 17%0Anothing orders accesses of x by a, b"
    )
    assert renderer("github").render(_UNDECIDED) == (
        "::warning title=Mazurka%3A service.std::nothing found in 12 events of 2 threads by auto; "
        "3 candidates are undecided\n"
    )


def test_text_tells_what_was_covered_and_assumed() -> None:
    text = renderer("text").render(_VERIFIED)
    assert text.startswith("verified: no order of the threads fails\n")
    for words in (
        "3 threads",
        "14 scheduling points",
        "9 executions",
        "sequentially consistent",
        "timeout fires only when",
    ):
        assert words in text


def test_text_tells_why_nothing_is_proved() -> None:
    text = renderer("text").render(_INCONCLUSIVE)
    assert text.startswith("inconclusive: nothing found, but the time limit of 60 s was reached\n")
    assert "json.dumps(dict) at app/bank.py:3 (12 times)" in text
    assert "1 more" in text
    assert "os.fork" in text
    assert "note: the program reads its input" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_keeps_its_width(width: int) -> None:
    text = renderer("text", width=width).render(_VIOLATION)
    assert max(len(line) for line in text.splitlines() if "replay" not in line.lower()) <= width


def test_colour_only_adds_escapes() -> None:
    plain, coloured = (renderer("text", colour=colour).render(_VIOLATION) for colour in (False, True))
    assert "\x1b[" not in plain
    assert "\x1b[" in coloured


def test_an_unknown_format_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match=", ".join(FORMATS)):
        renderer("yaml")
