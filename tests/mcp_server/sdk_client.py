"""`mazurka mcp`, asked by the client of the protocol's official SDK over standard input and output.

Not part of the suite: the SDK brings a plugin of pytest, and has an environment of its own (`make test-mcp`).
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

_EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("bank.py", "bank_fixed.py", "traces/transfer.std"):
        shutil.copy(_EXAMPLES / name, tmp_path)
    return tmp_path


def ask(place: Path, asks: Callable[[Any], Awaitable[Any]]) -> Any:
    """The result of requests to a server of its own."""

    async def run() -> Any:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "mazurka", "mcp"], cwd=str(place))
        async with Client(parameters) as client:
            return await asks(client)

    return asyncio.run(run())


def call(place: Path, name: str, **arguments: Any) -> Any:
    """The result of one call."""
    return ask(place, lambda client: client.call_tool(name, arguments))


def test_the_tools_describe_themselves(place: Path) -> None:
    tools = {tool.name: tool for tool in ask(place, lambda client: client.list_tools()).tools}
    assert tools.keys() == {"check", "predict", "replay", "explain"}
    assert tools["check"].input_schema["required"] == ["targets"]
    assert "interleaving" in tools["check"].description


def test_a_check_and_a_replay(place: Path) -> None:
    found = call(place, "check", targets=["bank.py"])
    assert not found.is_error
    report = found.structured_content
    assert report == json.loads(found.content[0].text)
    assert (report["exit_status"], report["verdict"]) == (1, "violation")
    (failure,) = report["failures"]
    assert failure["explanation"]["shape"] == "lost update"
    again = call(place, "replay", schedule=failure["schedule"]).structured_content
    assert (again["exit_status"], again["verdict"]) == (1, "violation")
    assert call(place, "replay", schedule=failure["token"]).structured_content["exit_status"] == 1
    fixed = call(place, "check", targets=["bank_fixed.py"]).structured_content
    assert (fixed["exit_status"], fixed["verdict"]) == (0, "verified")
    both = call(place, "check", targets=["bank.py", "bank_fixed.py"]).structured_content
    assert [each["verdict"] for each in both["targets"]] == ["violation", "verified"]


def test_a_prediction_and_an_explanation(place: Path) -> None:
    report = call(place, "predict", trace="transfer.std", kinds=["deadlocks"]).structured_content
    assert [each["kind"] for each in report["findings"]] == ["deadlock"]
    assert "slug" not in call(place, "explain", error="no-such-file").content[0].text
    assert "did you mean no-such-file" in call(place, "explain", error="no-such-fil").content[0].text


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("check", {"targets": ["nothing.py"]}, "there is no such file"),
        ("check", {"targets": ["--output=stolen"]}, "is not a name of a file"),
        ("check", {"targets": []}, "no target was named"),
        ("check", {"targets": ["bank.py"], "strategy": "none"}, "'none' is not one of"),
        ("check", {"targets": ["bank.py"], "changed_since": "HEAD"}, "not a git repository"),
        ("check", {}, "targets"),
        ("predict", {"trace": "bank.py"}, "looks like no trace format"),
        ("replay", {"schedule": "mz1-damaged"}, "schedule"),
    ],
)
def test_wrong_requests_are_errors(place: Path, name: str, arguments: dict[str, Any], words: str) -> None:
    result = call(place, name, **arguments)
    assert result.is_error
    assert words in result.content[0].text
    assert not (place / "stolen").exists()


def test_several_calls_at_once_and_programs_that_print(place: Path) -> None:
    (place / "noisy.py").write_text(
        'import sys\nprint(\'{"jsonrpc": "2.0"}\')\nsys.stdout.flush()\n' + (place / "bank.py").read_text()
    )

    async def several(client: Any) -> list[Any]:
        calls = [client.call_tool("check", {"targets": [name]}) for name in ("noisy.py", "bank_fixed.py", "bank.py")]
        return await asyncio.gather(*calls)

    reports = [each.structured_content for each in ask(place, several)]
    assert [each["exit_status"] for each in reports] == [1, 0, 1]
