"""The tools for assistants, without the protocol: each is a command, and its result the command's JSON."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from mazurka.cli import mcp_tools

_EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("bank.py", "bank_fixed.py", "traces/transfer.std"):
        shutil.copy(_EXAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    return tmp_path


def test_check_replay_predict_explain() -> None:
    report = asyncio.run(mcp_tools.check(["bank.py"], strategy="mcr", include=["json"], races=False))
    assert (report["exit_status"], report["verdict"], report["strategy"]) == (1, "violation", "mcr")
    token = report["failures"][0]["token"]
    assert asyncio.run(mcp_tools.replay(token))["exit_status"] == 1
    predicted = asyncio.run(mcp_tools.predict("transfer.std", kinds=["deadlocks"]))
    assert [each["kind"] for each in predicted["findings"]] == ["deadlock"]
    assert "directory" in asyncio.run(mcp_tools.explain("no-such-file"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mcp_tools.check(["--output=x"]), "is not a name of a file"),
        (lambda: mcp_tools.predict("-"), "is not a name of a file"),
        (lambda: mcp_tools.check(["nothing.py"]), "there is no such file"),
        (lambda: mcp_tools.explain("no-such-fil"), "did you mean no-such-file?"),
    ],
)
def test_no_result_is_a_failure(call: Any, words: str) -> None:
    with pytest.raises(mcp_tools.ToolFailure, match=words):
        asyncio.run(call())
    assert not os.path.exists("x")


def test_tools_have_types_and_the_errors_of_the_sdk() -> None:
    class Refused(Exception):
        pass

    tool = mcp_tools.reporting(mcp_tools.check, Refused)
    assert (
        inspect.signature(tool).parameters["targets"].annotation == list[str]
        or tool.__annotations__["targets"] == list[str]
    )
    with pytest.raises(Refused, match="not a name of a file"):
        asyncio.run(_awaited(tool(targets=["-x"])))


async def _awaited(called: Any) -> Any:
    return await called


def test_a_call_that_is_cancelled_ends_its_program(place: Path) -> None:
    (place / "endless.py").write_text(
        "import pathlib, threading\npathlib.Path('begun').touch()\nimport time, ctypes\nctypes.CDLL(None).pause()\n"
    )

    async def cancelled() -> None:
        call = asyncio.ensure_future(mcp_tools.check(["endless.py"], time_limit=60))
        while not (place / "begun").exists():
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(asyncio.wait_for(cancelled(), 30))
