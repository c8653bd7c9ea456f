"""`mazurka view`: pages of reports, saved failures and recordings; other files are refused."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded
from tests.later import Later

from mazurka.report.render_json import PREDICT_SCHEMA_PATH, SCHEMA_PATH

jsonschema = Later("jsonschema")

_ROOT = Path(__file__).parents[2]


def _run(folder: Path, *arguments: str) -> Any:
    return preloaded.run(list(arguments), folder, preloaded.environment(), 60)


def _data(page: Path) -> Any:
    (found,) = re.findall(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("bank.py", "transfer.py", "traces/transfer.std"):
        shutil.copy(_ROOT / "examples" / name, tmp_path)
    return tmp_path


def _valid(data: Any, schema: Path) -> None:
    jsonschema.Draft202012Validator(json.loads(schema.read_text())).validate(data)


def test_a_report_is_shown_with_the_state_of_its_sources(folder: Path) -> None:
    assert _run(folder, "check", "bank.py", "-q", "--output", "report.json", "--output", "page.html").returncode == 1
    report = json.loads((folder / "report.json").read_text())
    _valid(report, SCHEMA_PATH)
    _valid(_data(folder / "page.html"), SCHEMA_PATH)
    (failure,) = report["failures"]
    assert failure["conflicting"] == [10, 12]
    assert failure["labels"]["0.1"] == "Thread-1 (deposit)"
    assert {"from": 12, "to": 18, "reason": "read", "target": "Account#1.balance"} in failure["arrows"]
    done = _run(folder, "view", "report.json")
    assert (done.returncode, done.stdout) == (0, f"{folder / 'report.html'}\n")
    assert "state" not in _data(folder / "report.html")["sources"]["bank.py"]
    (folder / "bank.py").write_text("# changed\n")
    _run(folder, "view", "report.json", "--output", "again.html", "--no-open")
    shown = _data(folder / "again.html")["sources"]["bank.py"]
    assert shown["state"] == "changed"
    assert "self.balance += amount" in "".join(shown["lines"][0]["text"])
    (folder / "bank.py").unlink()
    _run(folder, "view", "report.json")
    assert _data(folder / "report.html")["sources"]["bank.py"]["state"] == "gone"


def test_a_saved_failure_is_replayed_for_its_page(folder: Path) -> None:
    assert _run(folder, "check", "transfer.py", "-q").returncode == 1
    (saved,) = (folder / ".mazurka" / "failures").glob("*.json")
    done = _run(folder, "view", str(saved), "--output", "page.html")
    assert (done.returncode, done.stdout) == (0, f"{folder / 'page.html'}\n")
    (failure,) = _data(folder / "page.html")["failures"]
    assert failure["kind"] == "deadlock"
    assert {each["held_by"] for each in failure["waiting"]} == {"0.1", "0.2"}
    assert failure["orders"]["edges"]


def test_a_prediction_has_both_orders(folder: Path) -> None:
    _run(folder, "predict", "transfer.std", "--format", "json", "--output", "report.json")
    report = json.loads((folder / "report.json").read_text())
    _valid(report, PREDICT_SCHEMA_PATH)
    observed = report["findings"][1]["observed"]
    assert [step["step"] for step in observed["steps"]] == list(range(16))
    assert observed["predicted"] == [0, 1, 2, 7]
    assert observed["steps"][3]["held"] == ["savings"]
    assert _run(folder, "view", "report.json").returncode == 0


def test_a_trace_is_packed(folder: Path) -> None:
    assert _run(folder, "view", "transfer.std", "--output", "page.html").returncode == 0
    columns = _data(folder / "page.html")["columns"]
    thread = columns["thread"]
    numbers = [number + thread["base"] for number in base64.b64decode(thread["data"])]
    assert thread["width"] == 1
    assert [columns["threads"][number] for number in numbers][:4] == ["main", "main", "anna", "anna"]
    assert columns["length"] == 16


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ('{"schema_version": 2, "failures": [{"kind"', "report-unreadable"),
        ('{"schema_version": 1, "failures": []}', "report-version"),
        ('{"schema_version": 2, "failures": 3}', "report-unreadable"),
        ('{"schema_version": 2, "failures": [{"kind": "race"}]}', "report-unreadable"),
        ('{"a": ' * 100_000, "report-unreadable"),
        ("{}", "schedule-corrupt"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, slug: str) -> None:
    (tmp_path / "report.json").write_text(text)
    done = _run(tmp_path, "view", "report.json")
    assert done.returncode == 2
    assert slug in done.stderr
    assert not (tmp_path / "report.html").exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    done = _run(tmp_path, "view", "nothing.json")
    assert (done.returncode, "no-such-file" in done.stderr) == (2, True)


def test_orders_are_not_given_where_the_model_does_not_have_all(folder: Path) -> None:
    shutil.copy(_ROOT / "examples" / "peterson.py", folder)
    arguments = ("--memory-model", "tso", "-q", "--no-save", "--output", "page.html")
    assert _run(folder, "check", "peterson.py", *arguments).returncode == 1
    (failure,) = _data(folder / "page.html")["failures"]
    assert failure["orders"] is None
    assert failure["arrows"]
