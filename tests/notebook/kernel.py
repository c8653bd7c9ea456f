"""Mazurka in a notebook: cells run by a real kernel of IPython.

Not part of the suite: the kernel and its client have an environment of their own (`make test-notebook`).
"""

from __future__ import annotations

import html
import json
import re
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

_ROOT = Path(__file__).parents[2]

_BUGGY = """\
%%mazurka
import threading

total = 0

def add():
    global total
    value = total
    total = value + 1

threads = [threading.Thread(target=add) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total == 2, "</iframe></script><script>alert(1)</script>"
"""

_LONG = _BUGGY.replace("%%mazurka", "%%mazurka --all-failures --live").replace(
    "    value = total\n    total", "    for _ in range(9):\n        value = total\n        total"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(_ROOT / "src"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(place: Path, *cells: str) -> list[list[Any]]:
    """The outputs of cells of a notebook, after the one that loads the extension."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in ("%load_ext mazurka", *cells)])
    NotebookClient(book, timeout=120, allow_errors=True, resources={"metadata": {"path": str(place)}}).execute()
    return [cell.outputs for cell in book.cells[1:]]


def result(outputs: list[Any]) -> tuple[str, str]:
    """The HTML and the text that a cell displays."""
    (shown,) = [each.data for each in outputs if each.output_type == "execute_result"]
    return shown["text/html"], shown["text/plain"]


def data_of(shown: str) -> Any:
    """The data of the page in a frame."""
    (source,) = re.findall(r'<iframe sandbox="allow-scripts" [^<>]* srcdoc="([^"]*)"></iframe>', shown)
    page = html.unescape(source)
    assert "default-src 'none'" in page
    (found,) = re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def streams(outputs: list[Any]) -> str:
    """The text that a cell prints, errors included."""
    return "".join(each.text for each in outputs if each.output_type == "stream")


def test_a_cell_shows_its_page_and_its_text(place: Path) -> None:
    buggy, fixed = run(
        place, _BUGGY, _BUGGY.replace("    value", "    with lock: value").replace("    total = value + 1", "    pass")
    )
    shown, text = result(buggy)
    line = _BUGGY.splitlines().index('assert total == 2, "</iframe></script><script>alert(1)</script>"') + 1
    assert text.startswith("violation: AssertionError: </iframe>")
    assert f".mazurka/cells/cell-2.py:{line}" in text
    assert "Lost update" in text
    assert shown.count("<iframe") == shown.count("</iframe>") == 1
    assert "<script" not in shown
    (failure,) = data_of(shown)["failures"]
    assert failure["location"]["line"] == line
    assert failure["execution"]
    assert "name 'lock' is not defined" in result(fixed)[1]
    assert "program of its own" in streams(fixed)


def test_the_options_are_those_of_check(place: Path) -> None:
    dpor, wrong, limited, unread = run(
        place,
        _BUGGY.replace("%%mazurka", "%%mazurka --strategy dpor --no-save --property 'check-then-act' -- an argument"),
        _BUGGY.replace("%%mazurka", "%%mazurka --strateg dpor"),
        _BUGGY.replace("%%mazurka", "%%mazurka --max-executions 1 --fresh"),
        _BUGGY.replace("%%mazurka", "%%mazurka --include 'x"),
    )
    assert data_of(result(dpor)[0])["strategy"] == "dpor"
    assert data_of(result(dpor)[0])["target"] == ".mazurka/cells/cell-2.py an argument"
    assert "No such option '--strateg'" in streams(wrong)
    assert "Traceback" not in streams(wrong)
    assert data_of(result(limited)[0])["executions"] == 1
    assert "the options can't be read: No closing quotation" in streams(unread)


def test_errors_name_the_line_of_the_cell(place: Path) -> None:
    (wrong,) = run(place, "%%mazurka\nimport threading\nx = = 1\n")
    assert "cell-2.py:3: this Python cannot parse it" in streams(wrong)


def test_modules_of_the_folder_are_part_of_the_program(place: Path) -> None:
    (place / "shared.py").write_text(
        "total = 0\n\ndef add():\n    global total\n    value = total\n    total = value + 1\n"
    )
    cell = _BUGGY[: _BUGGY.index("total = 0")] + "import shared\n" + _BUGGY[_BUGGY.index("threads =") :]
    cell = cell.replace("target=add", "target=shared.add").replace("total ==", "shared.total ==")
    (found,) = run(place, cell)
    data = data_of(result(found)[0])
    assert data["failures"][0]["explanation"]["shape"] == "lost update"
    assert "shared.py" in {each["file"] for each in data["failures"][0]["execution"]}
    assert data["untracked"] == {}


def test_results_of_the_api_draw_themselves(place: Path) -> None:
    shutil.copy(_ROOT / "examples" / "traces" / "transfer.std", place)
    program = (
        _BUGGY.replace("%%mazurka\n", "")
        .replace("\nthreads =", "\ndef main():\n  global total\n  total = 0\n  threads =")
        .replace("\nfor", "\n  for")
        .replace("\n    thread", "\n      thread")
        .replace("\nassert", "\n  assert")
    )
    (place / "app.py").write_text(program)
    predicted, explored, unknown = run(
        place,
        "import mazurka.api\nmazurka.api.predict('transfer.std')",
        "import app\nmazurka.api.explore(app.main)",
        "mazurka.api.explore(lambda: None)",
    )
    assert {each["kind"] for each in data_of(result(predicted)[0])["findings"]} == {"race", "deadlock"}
    assert result(predicted)[1].startswith("race 1 of 2")
    shown, text = result(explored)
    assert data_of(shown)["failures"][0]["explanation"]["shape"] == "lost update"
    assert text.startswith("violation:")
    (error,) = [each for each in unknown if each.output_type == "error"]
    assert "in a notebook, check a cell by %%mazurka" in error.evalue


@pytest.fixture
def kernel(place: Path) -> Iterator[Any]:
    manager, client = start_new_kernel(cwd=str(place))
    try:
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_an_interrupted_check_has_a_report(kernel: Any) -> None:
    manager, client = kernel
    client.execute_interactive("%load_ext mazurka", timeout=60)
    asked = client.execute(_LONG)
    shown, printed, interrupted = {}, "", False
    while not shown:
        try:
            message = client.get_iopub_msg(timeout=60)
        except Empty:
            pytest.fail("the kernel says nothing")
        if message["parent_header"].get("msg_id") != asked:
            continue
        content = message["content"]
        if message["msg_type"] == "stream":
            printed += content["text"]
            if not interrupted and (found := re.search(r"live page: (\S+)\n", printed)):
                interrupted = True
                _wait_for_the_search(found[1])
                manager.interrupt_kernel()
        if message["msg_type"] == "execute_result":
            shown = content["data"]
        assert message["msg_type"] != "error", content
    assert data_of(shown["text/html"])["verdict"] in ("violation", "inconclusive")


def _wait_for_the_search(address: str) -> None:
    """Return when the page has a sample of the search."""
    while '"sample"' not in urllib.request.urlopen(f"{address}events?after=0").read().decode():
        pass
