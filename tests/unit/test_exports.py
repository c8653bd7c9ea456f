"""Exports: Perfetto's traces, causal graphs, tables of findings, Markdown, the annotations of a workflow of GitHub."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.later import Later

from mazurka.cli.publishing import Output, publish
from mazurka.errors import UsageError
from mazurka.program.protocol import Failure, FailureKind
from mazurka.report.causal_graph import MOST, graph_of
from mazurka.report.check_report import CheckReport, Verdict, combined
from mazurka.report.details import Arrow, Details, OrderReason, StepFacts
from mazurka.report.finding import Column, Explanation, Finding, FindingEvent
from mazurka.report.render import FORMATS, rendered, renderer
from mazurka.report.render_markdown import code, fenced
from mazurka.report.report import Suppressed
from mazurka.trace.event import Location

pq = Later("pyarrow.parquet")

_NASTY = '</script>\n::error::x `` ``` | "quoted" \\ \u202e%0A,:#;\x1b[31m\udc80'
_PLACES = [Location(f"/p/a{number % 3}.py", number + 1, 0, "f") for number in range(8)]


def finding(nasty: str = "") -> Finding:
    """A write of one thread, read by another one, whose lock was handed over, too."""
    words = [("acquires", "l"), ("writes", "x" + nasty), ("releases", "l"), ("acquires", "l"), ("reads", "x" + nasty)]
    threads = ["0", "0", "0", "0.1", "0.1"]
    steps = tuple(
        [
            FindingEvent(at + 1, thread, *each, _PLACES[at], value="1" + nasty if at in (1, 4) else "")
            for at, (thread, each) in enumerate(zip(threads, words, strict=True))
        ]
    )
    arrows = (Arrow(3, 4, OrderReason.LOCK, "l"), Arrow(2, 5, OrderReason.READ, "x" + nasty))
    held = [(), ("l",), ("l",), (), ("l",)]
    facts = tuple([StepFacts("read", 0, each) for each in held])
    failure = Failure(FailureKind.ASSERTION, "bad" + nasty, "0.1", _PLACES[5], "AssertionError")
    return Finding(
        "assertion",
        failure.message,
        "0.1",
        _PLACES[5],
        Explanation((Column("0", "main" + nasty), Column("0.1", "T")), (), None, "It is wrong." + nasty),
        "f" * 16,
        events=(FindingEvent(6, "0.1", "fails with", "AssertionError" + nasty, _PLACES[5]),),
        failure=failure,
        execution=steps,
        details=Details((("0", "main" + nasty), ("0.1", "T")), facts, arrows, (2, 5), (2, 5)),
        label="T",
        engine="mcr",
        replay="mazurka replay x",
    )


def report(*findings: Finding) -> CheckReport:
    verdict = Verdict.VIOLATION if findings else Verdict.VERIFIED
    return CheckReport("prog.py", verdict, executions=3, complete=True, findings=findings, root="/p")


def test_a_track_for_each_thread_and_arrows_between_slices() -> None:
    events = json.loads(renderer("perfetto").render(report(finding(), finding(_NASTY))))["traceEvents"]
    named = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    assert named[1, 1] == "main (0)"
    assert {pid for pid, _ in named} == {1, 2}
    slices = [each for each in events if each["ph"] == "X" and each["pid"] == 1]
    assert [(each["tid"], each["name"]) for each in slices] == [
        (1, "acquires l"),
        (1, "writes x = 1"),
        (1, "releases l"),
        (2, "acquires l"),
        (2, "reads x = 1"),
        (2, "fails with AssertionError"),
    ]
    assert [each["cat"] for each in slices] == ["step", "conflict", "step", "step", "conflict", "relevant"]
    assert slices[1]["args"] | {"source": ""} == {
        "step": 2,
        "operation": "writes",
        "target": "x",
        "value": "1",
        "place": "a1.py:2",
        "source": "",
        "held": "l",
    }
    arrows: dict[int, list[Any]] = {}
    for each in events:
        if each["ph"] in "sf":
            arrows.setdefault(each["id"], []).append(each)
            assert any(
                (one["pid"], one["tid"]) == (each["pid"], each["tid"])
                and one["ts"] <= each["ts"] < one["ts"] + one["dur"]
                for one in events
                if one["ph"] == "X"
            )
    assert sorted({(*(each["ph"] for each in pair), pair[0]["name"]) for pair in arrows.values()}) == [
        ("s", "f", "lock handed over"),
        ("s", "f", "reads from"),
    ]
    assert all(pair[0]["ts"] < pair[1]["ts"] for pair in arrows.values())


def test_the_graph_of_a_finding() -> None:
    graph = graph_of(finding(), report(finding()))
    assert [node.text for node in graph.nodes] == ["writes x = 1", "reads x = 1", "fails with AssertionError"]
    assert [(edge.first, edge.second, edge.label) for edge in graph.edges] == [(1, 2, ""), (0, 1, "reads from")]
    long = replace(finding(), execution=tuple([replace(_step(), number=at + 1) for at in range(500)]))
    assert long.details is not None
    wide = replace(long, details=replace(long.details, facts=(), relevant=tuple(range(1, 501)), arrows=()))
    assert len(graph_of(wide, report(wide)).nodes) == MOST


def _step() -> FindingEvent:
    return finding().execution[0]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "html"])
def test_names_and_values_are_only_data(form: str) -> None:
    whole = combined([report(finding(_NASTY)), report()])
    for each in (report(finding(_NASTY)), report(), whole, CheckReport("p", Verdict.INCONCLUSIVE, error=_NASTY)):
        text = rendered(form, each).decode(errors="replace") if form != "parquet" else ""
        assert form == "csv" or "\x1b" not in text
        if form == "dot":
            quoted = re.sub(r'"(\\.|[^"\\\n])*"', "", text)
            assert not re.search(r'["\\<|]|error', quoted.replace("->", ""))
        elif form == "mermaid":
            assert all(line.count('"') % 2 == 0 for line in text.splitlines())
            assert not re.search(r"[<`\\](?!br>|-\.)", text)
        elif form == "github":
            assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in text.splitlines())
        elif form == "perfetto":
            json.loads(text)


def test_markdown_of_programs_ends_nothing() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert code("\n") == "` `"
    assert fenced("````\n<b>")[0] == "`````text"
    text = renderer("markdown").render(report(finding(_NASTY)))
    assert "`AssertionError" not in text
    outside = re.sub(r"^(````+)text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "</script>" not in re.sub(r"(`+).*?\1", "", outside)


def test_tables_of_findings() -> None:
    known = Suppressed(finding().failure, "e" * 16, "rule x")  # type: ignore[arg-type]  # it has one
    whole = replace(report(finding(_NASTY), finding()), suppressed=(known,))
    rows = list(csv.DictReader(io.StringIO(renderer("csv").render(whole))))
    assert [row["suppressed_by"] for row in rows] == ["", "", "rule x"]
    assert rows[0]["message"].startswith("bad</script>\n::error")
    assert (rows[1]["file"], rows[1]["line"], rows[1]["engine"]) == ("a2.py", "6", "mcr")
    table = pq.read_table(io.BytesIO(rendered("parquet", whole))).to_pylist()
    assert [{name: str(value) for name, value in row.items()} for row in table[1:]] == rows[1:]
    assert table[1]["line"] == 6
    assert pq.read_table(io.BytesIO(rendered("parquet", report()))).num_rows == 0


def test_annotations_at_the_steps_in_conflict() -> None:
    lines = renderer("github").render(report(finding())).splitlines()
    assert [re.match(r"::(\w+) file=([^,]*),line=(\d+),", line).groups() for line in lines] == [  # type: ignore[union-attr]
        ("error", "a2.py", "6"),
        ("warning", "a1.py", "2"),
        ("warning", "a1.py", "5"),
    ]
    assert lines[1].endswith("::main writes x = 1%0AIn conflict: bad (a2.py:6)")
    several = combined([report(finding()), CheckReport("q.py", Verdict.INCONCLUSIVE, "time", root="/p")])
    assert renderer("github").render(several).splitlines()[-1] == (
        "::warning title=Mazurka%3A q.py::inconclusive after 0 executions: time"
    )


def test_the_summary_of_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    publish(report(finding()), [Output("json")])
    assert summary.read_text() == "before\n"
    publish(report(finding()), [Output("github")])
    text = summary.read_text()
    assert text.startswith("before\n## Mazurka: `prog.py`\n\n**1 finding**\n")
    assert "It is wrong." in text
    publish(report(replace(finding(), message="x" * (1 << 20), explanation=_long())), [Output("github")])
    assert summary.read_text().endswith("The report is too long for a summary: see the log of this step.\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    with pytest.raises(UsageError, match="GITHUB_STEP_SUMMARY"):
        publish(report(), [Output("github")])
    assert capsys.readouterr().out.count("::error ") == 2


def _long() -> Explanation:
    return replace(finding().explanation, sentence="word " * (1 << 18))
