"""The page: one file without references, which runs only its own script, and has the data of the JSON report."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mazurka.program.protocol import Failure, FailureKind
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.details import Arrow, Details, OrderReason, Orders, StepFacts
from mazurka.report.finding import Column, Explanation, Finding, FindingEvent, Row
from mazurka.report.render import renderer
from mazurka.report.render_html import LIVE_SCRIPT, LONGEST, SCRIPTS, live_page, page
from mazurka.report.render_json import report_data
from mazurka.trace.event import Location

_FOLDER = Path(__file__).parents[2] / "src" / "mazurka" / "report" / "page"

#: Texts that would end the element, run, or turn the text around, if they were more than data.
_HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- <script>",
    "\u202egnp.exe",
    "\u2028\u2029",
    "\x00\x1b[31m\x7f",
    "\ud800",
    "${alert(1)}$data$script",
    "]]>&lt;&amp;",
)


def _report(text: str, file: str = "app.py") -> CheckReport:
    place = Location(file, 3, 0, text)
    failure = Failure(FailureKind.EXCEPTION, text, "0", place, text)
    steps = (FindingEvent(1, "0", "reads", text, place, value=text),)
    finding = Finding(
        "exception",
        text,
        "0",
        place,
        Explanation((Column("0", text),), (Row(1, "0", (text,), place, text),), None, text),
        "0123456789abcdef",
        events=(FindingEvent(2, "0", "fails with", text, place),),
        failure=failure,
        execution=steps,
        output=text,
        replay=text,
        details=Details(
            (("0", text),), (StepFacts("read", 0, (text,)),), (Arrow(1, 1, OrderReason.READ, text),), (1,), (1,)
        ),
        orders=Orders((1,), (Arrow(1, 1, OrderReason.LOCK, text),)),
    )
    return CheckReport(text, Verdict.VIOLATION, findings=(finding,), notes=(text,))


def _data_of(text: str) -> tuple[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return found, json.loads(found)


@pytest.mark.parametrize("text", _HOSTILE)
def test_names_and_values_stay_data(text: str) -> None:
    report = _report(text)
    rendered = renderer("html").render(report)
    embedded, data = _data_of(rendered)
    assert data == json.loads(json.dumps(report_data(report)))
    assert not set(embedded) & set("<>&\u2028\u2029\u202e")
    assert embedded.isascii()
    assert rendered.count("<script") == 2
    rendered.encode("utf-8")


def test_the_policy_admits_the_own_script_and_style_only() -> None:
    rendered = renderer("html").render(_report("plain"))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', rendered)
    (script,) = re.findall(r"<script>(.*?)</script>", rendered, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", rendered, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"\ssrc=|<link|@import|url\((?!#)", rendered)
    assert set(re.findall(r"https?://[\w.]+", rendered)) == {"http://www.w3.org"}  # the name of a namespace


def test_only_the_page_of_a_running_check_makes_requests() -> None:
    assert "connect-src" not in renderer("html").render(_report("plain"))
    assert "fetch(" not in renderer("html").render(_report("plain"))
    assert "default-src 'none'" in live_page()
    assert live_page().count("connect-src 'self'; base-uri") == 1


def test_scripts_make_no_markup_of_texts() -> None:
    written = {path.name for path in _FOLDER.glob("*.js")}
    assert written == {*SCRIPTS, LIVE_SCRIPT}
    for name in written:
        text = (_FOLDER / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) < 400
        for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert unsafe not in text, f"{name}: {unsafe}"


def test_long_texts_are_cut() -> None:
    rendered = page(report_data(_report("x" * 10_000_000)))
    _, data = _data_of(rendered)
    message = data["failures"][0]["message"]
    assert message.startswith("x" * LONGEST)
    assert message.endswith("9,980,000 more characters)")
    assert len(rendered) < 1_000_000


def test_source_lines_are_those_around_the_locations(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("".join(f"line {number}\n" for number in range(1, 101)))
    (source,) = report_data(_report("x", str(file)))["sources"].values()
    assert source["digest"] == hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    assert source["lines"] == [{"first": 1, "text": [f"line {number}" for number in range(1, 16)]}]
    assert report_data(_report("x", str(tmp_path / "gone.py")))["sources"] == {}
