"""Pages in a real browser: the conflicting steps in view at first, keys, no errors, accessible; with screenshots."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded
from tests.browser.pages import HEIGHT, ROOT, SCREENSHOTS, WIDTH, browser, data_of, opened, violations
from tests.oracle.random_traces import random_trace
from tests.real.cases import BUGS, REPAIRED, Bug, Tool, python_path
from tests.unit.test_page import _HOSTILE, _report

from mazurka.causal.closure import ClosureSolver
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Before, Question
from mazurka.causal.solver import Feasible
from mazurka.notebook import check_cell
from mazurka.report.render_html import page as page_of
from mazurka.report.render_json import report_data
from mazurka.workflows.possible_orders import orders_of

pytestmark = pytest.mark.browser

_EXAMPLES = ("bank.py", "cache.py", "mailbox.py", "transfer.py")
_REAL = [bug for bug in BUGS if bug.case not in REPAIRED]

#: Random pairs on which the script is held to the solver.
_PAIRS = 1_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with ExitStack() as stack:
        try:
            started = stack.enter_context(browser())
        except SystemExit as missing:
            pytest.exit(str(missing), returncode=2)
        yield started


def _written(folder: Path, *arguments: str) -> Path:
    page = folder / "page.html"
    done = preloaded.run([*arguments, "--format", "html", "--output", str(page)], folder, preloaded.environment(), 60)
    assert page.exists(), done.stderr
    return page


def _looked_at(chromium: Any, page: Path, name: str, hash_: str = "") -> None:
    """All that must hold for the page of a finding of an execution."""
    finding = data_of(page)["failures"][0]
    for scheme in ("light", "dark"):
        with opened(chromium, page, scheme, hash_) as shown:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            shown.page.screenshot(path=SCREENSHOTS / f"{name}-{scheme}.png")
            conflicts = [row.bounding_box() for row in shown.page.query_selector_all(".row.conflict")]
            assert len(conflicts) == len(finding["waiting"] or finding["conflicting"]) > 0
            if not finding["waiting"]:
                assert len(conflicts) == 2
            for box in conflicts:
                assert 0 <= box["x"] < WIDTH
                assert 0 < box["y"] <= HEIGHT - box["height"]
            assert shown.page.query_selector(".source .current") is not None
            assert violations(shown.page) == []
            _stepped_through(shown)
            assert shown.errors == []
            assert shown.requests == [page.as_uri()]


def _stepped_through(shown: Any) -> None:
    shown.press("Home")
    first = shown.selected
    shown.press("j", "ArrowDown")
    assert shown.selected > first
    shown.press("k", "ArrowUp")
    assert shown.selected == first
    shown.press("End")
    assert shown.selected > first
    assert shown.page.inner_text("#live") != ""
    shown.press("n")
    assert "conflict" in shown.page.get_attribute(".row.selected", "class")
    shown.press("?")
    assert shown.page.is_visible("dialog")
    shown.press("Escape")
    assert not shown.page.is_visible("dialog")
    shown.press("w", "Home")
    assert shown.page.inner_text(".row.selected .number") == "1"
    shown.press("j")
    assert shown.page.inner_text(".state .when") == "before step 2"
    shown.press("w")


@pytest.mark.parametrize("program", _EXAMPLES)
def test_examples(chromium: Any, program: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / program, tmp_path)
    _looked_at(chromium, _written(tmp_path, "check", program), Path(program).stem)


@pytest.mark.parametrize("bug", _REAL, ids=str)
def test_real_cases(chromium: Any, bug: Bug, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    tool = Tool(tmp_path, python_path(bug.case.requirements))
    done = tool.check(bug.case, "--format", "html", "--output", str(page))
    assert page.exists(), done.stderr
    _looked_at(chromium, page, bug.case.script.removesuffix(".py"))


def test_a_prediction_shows_both_orders(chromium: Any, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "traces" / "transfer.std", tmp_path)
    page = _written(tmp_path, "predict", "transfer.std")
    for scheme in ("light", "dark"):
        with opened(chromium, page, scheme) as shown:
            shown.page.screenshot(path=SCREENSHOTS / f"overview-{scheme}.png")
            assert violations(shown.page) == []
            assert shown.page.locator(".findings tbody tr").count() == 2
            shown.page.get_by_role("button", name="kind").click()
            assert shown.page.locator(".findings tbody tr td").first.inner_text() == "deadlock"
            shown.page.fill("input[type=search]", "statistics")
            assert shown.page.locator(".findings tbody tr").count() == 1
            shown.page.click(".findings a")
            assert shown.page.url.endswith("#/finding/1")
            shown.press("]")
            shown.page.wait_for_selector(".compare")
            conflicts = shown.page.query_selector_all(".column:last-child .event.conflict")
            assert len(conflicts) == 2
            assert all(0 < row.bounding_box()["y"] < HEIGHT - 26 for row in conflicts)
            shown.page.screenshot(path=SCREENSHOTS / f"prediction-{scheme}.png")
            assert violations(shown.page) == []
            shown.press("w")
            assert shown.page.locator(".row.conflict").count() == 2
            shown.press("u")
            shown.page.wait_for_selector(".findings")
            assert shown.errors == []


def test_a_recording_is_shown(chromium: Any, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "traces" / "transfer.std", tmp_path)
    done = preloaded.run(["view", "transfer.std", "--output", "page.html"], tmp_path, preloaded.environment(), 60)
    assert done.returncode == 0, done.stderr
    for scheme in ("light", "dark"):
        with opened(chromium, tmp_path / "page.html", scheme) as shown:
            shown.page.screenshot(path=SCREENSHOTS / f"recording-{scheme}.png")
            assert shown.page.locator(".row.step").count() == 16
            assert "savings" in shown.page.inner_text(".contention")
            shown.press("End")
            assert shown.selected == 15
            assert violations(shown.page) == []
            assert shown.errors == []


@pytest.mark.parametrize("text", _HOSTILE)
def test_nothing_of_the_program_is_executed(chromium: Any, text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(page_of(report_data(_report(text))), encoding="utf-8")
    with opened(chromium, page) as shown:
        shown.press("w", "j", "a", "k", "b")
        assert shown.page.evaluate("document.querySelectorAll('img, script:not([type])').length") == 1
        visible = shown.page.inner_text("body")
        assert not set(visible) & set("\u202e\u2028\u2029\x00\x1b\x7f")
        assert shown.errors == []
        assert shown.requests == [page.as_uri()]


def test_large_values_and_many_threads(chromium: Any, tmp_path: Path) -> None:
    data = report_data(_report("x" * 10_000_000))
    finding = data["failures"][0]
    step = finding["execution"][0]
    finding["execution"] = [
        {**step, "step": number, "thread": f"0.{number % 500}", "target": f"v{number % 7}", "target_number": number % 7}
        for number in range(1, 3001)
    ]
    page = tmp_path / "page.html"
    page.write_text(page_of(data), encoding="utf-8")
    with opened(chromium, page) as shown:
        shown.press("w", "End")
        assert shown.selected == 2999
        assert shown.page.locator(".row").count() < 100
        assert shown.errors == []


def test_a_report_of_an_earlier_version_of_the_schema_is_shown(chromium: Any, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "bank.py", tmp_path)
    data = data_of(_written(tmp_path, "check", "bank.py"))
    for key in ("sources", "search"):
        del data[key]
    for finding in data["failures"]:
        for key in ("labels", "relevant", "conflicting", "arrows", "orders", "observed"):
            del finding[key]
        for step in finding["execution"]:
            for key in ("op", "target_number", "held"):
                del step[key]
    page = tmp_path / "page.html"
    page.write_text(page_of(data), encoding="utf-8")
    with opened(chromium, page) as shown:
        assert shown.page.locator(".row.step").count() > 0
        shown.press("j", "a", "j", "b", "w", "End")
        assert "does not carry" in shown.page.inner_text(".answer")
        assert shown.errors == []


def test_folds_filters_search_and_why_not(chromium: Any, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "bank.py", tmp_path)
    page = _written(tmp_path, "check", "bank.py")
    with opened(chromium, page) as shown:
        rows = shown.page.locator(".row.step")
        before = rows.count()
        shown.page.locator(".fold").nth(1).click()
        assert rows.count() == before + 1
        shown.page.locator(".fold[aria-expanded=true]").click()
        assert rows.count() == before
        shown.page.locator(".fold").nth(1).click()
        shown.page.select_option("select[aria-label='Filter by thread']", label="Thread-2 (deposit)")
        left = shown.page.locator(".row.step:not(.ending) .words").all_inner_texts()
        assert left
        assert all(text.startswith("Thread-2 (deposit)") for text in left)
        shown.page.select_option("select[aria-label='Filter by thread']", label="all threads")
        shown.press("/")
        shown.page.keyboard.type("writes balance")
        assert shown.page.inner_text(".filters .status") == "2 matches"
        shown.press("Escape")
        shown.press("w", "Home", "a", "j", "j", "b")
        assert shown.page.inner_text(".answer .says").startswith("No: step 3 can't come before step 1")
        assert "one thread" in shown.page.inner_text(".path")
        shown.press("t")
        assert shown.page.get_attribute("html", "data-theme") == "dark"


def test_the_script_answers_as_the_solver(chromium: Any) -> None:
    source = (ROOT / "src/mazurka/report/page/orders.js").read_text(encoding="utf-8")
    rng, asked, context = random.Random(0), 0, chromium.new_context()
    tab = context.new_page()
    answers = set()
    while asked < _PAIRS:
        trace = random_trace(rng, rng.randrange(6, 40), rng.randrange(2, 5), valued=rng.random() < 0.6)
        orders = orders_of(trace, len(trace))
        assert orders is not None
        data = {
            "steps": list(orders.steps),
            "edges": [{"from": each.first, "to": each.second, "reason": each.reason.value} for each in orders.edges],
            "possible": [list(pair) for pair in orders.possible],
            "undecided": [list(pair) for pair in orders.undecided],
        }
        pairs = [sorted(rng.sample(range(len(trace)), 2)) for _ in range(25)]
        model, solver = model_of_trace(trace), ClosureSolver()
        expected = [
            isinstance(solver.decide(model, Question(constraints=(Before(later, earlier),))), Feasible)
            for earlier, later in pairs
        ]
        script = (
            f"(() => {{ {source}; const orders = new Orders({json.dumps(data)});"
            f"return {json.dumps(pairs)}.map(([a, b]) => orders.ask(b + 1, a + 1)); }})()"
        )
        found = tab.evaluate(script)
        assert [each["answer"] == "possible" for each in found] == expected
        for (earlier, later), each in zip(pairs, found, strict=True):
            if each["path"]:
                assert (each["path"][0]["from"], each["path"][-1]["to"]) == (earlier + 1, later + 1)
                assert all(a["to"] == b["from"] for a, b in zip(each["path"], each["path"][1:], strict=False))
        answers.update(each["answer"] for each in found)
        asked += len(pairs)
    assert answers == {"possible", "impossible"}
    context.close()


_LONG = """\
import threading

total = 0

def add():
    global total
    for _ in range(4):
        value = total
        total = value + 1

threads = [threading.Thread(target=add) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total > 4, "<script>alert(1)</script>"
"""


def test_a_running_check_is_seen(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_LONG)
    command = [sys.executable, "-m", "mazurka", "check", "app.py", "--live", "--no-save", "--all-failures"]
    environment = preloaded.environment()
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, "--time-limit", "12"], cwd=tmp_path, env=environment, stderr=pipe, text=True
    ) as check:
        assert check.stderr is not None
        address = check.stderr.readline().split()[-1]
        context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT})
        page, wrong, asked = context.new_page(), [], set()
        page.on("console", lambda message: message.type in ("error", "warning") and wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.add(request.url.partition("?")[0]))
        page.goto(address)
        page.wait_for_selector(".live.running")
        page.wait_for_selector(".plot path.series")
        page.wait_for_selector(".findings td a")
        page.fill("input[type=search]", "script")
        before = page.inner_text(".live")
        page.wait_for_function("before => document.querySelector('.live').textContent !== before", arg=before)
        assert page.input_value("input[type=search]") == "script"
        assert page.evaluate("document.activeElement.type") == "search"
        assert violations(page) == []
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / "live-light.png")
        page.click(".findings td a")
        assert "explained when it has ended" in page.inner_text(".finding-head")
        page.screenshot(path=SCREENSHOTS / "live-finding-light.png")
        page.wait_for_selector(".row.conflict", timeout=60_000)
        assert "Lost update" in page.inner_text(".finding-head")
        check.wait()
        page.wait_for_function("document.querySelector('.live').textContent.startsWith('the check is over')")
        page.keyboard.press("u")
        page.wait_for_selector(".phases")
        page.emulate_media(color_scheme="dark")
        page.screenshot(path=SCREENSHOTS / "live-over-dark.png")
        assert wrong == []
        assert asked == {address, f"{address}events"}
        context.close()


def test_a_result_in_a_notebook_is_a_page_in_a_frame(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in preloaded.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MAZURKA_BROWSER", raising=False)
    cell = check_cell("--races --all-failures --time-limit 5", _LONG, 1)
    assert cell is not None
    shown = tmp_path / "notebook.html"
    shown.write_text(f"<!doctype html><title>cells</title><input id=own>{cell._repr_html_()}", encoding="utf-8")
    with opened(chromium, shown, "dark", selector="iframe") as framed:
        framed.page.focus("#own")
        frame = framed.page.frames[1]
        frame.wait_for_selector(".findings td a")
        assert frame.evaluate("origin") == "null"
        assert framed.page.evaluate("document.activeElement.id") == "own"
        frame.click(".findings td a")
        frame.wait_for_selector(".row.conflict")
        framed.page.screenshot(path=SCREENSHOTS / "notebook-dark.png")
        frame.click(".brand")
        frame.wait_for_selector(".findings")
        assert framed.page.url == shown.as_uri()
        assert framed.errors == []
