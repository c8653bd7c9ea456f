"""`mazurka check --live`: the page has the search and its findings, and the program sees nothing of it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

_SRC = str(Path(__file__).parents[2] / "src")

_PROGRAM = """\
import threading

total = 0

def add(times):
    global total
    for _ in range(times):
        value = total
        total = value + 1

threads = [threading.Thread(target=add, args=(2,)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total > 2, "<b>lost</b>"
"""

#: The surroundings of the program: open files, threads, modules, and its environment.
_LOOKING = """\
import os, sys, threading
seen = [sorted(map(int, os.listdir("/proc/self/fd"))), threading.active_count(), sorted(sys.modules), dict(os.environ)]
"""


class _Running:
    """A check with a live page."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "mazurka", "check", "--live", "--no-save", *arguments]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": _SRC},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        found = re.fullmatch(
            r"mazurka: live page: (http://127\.0\.0\.1:(\d+)/[\w-]{32}/)\n", self.process.stderr.readline()
        )
        assert found is not None
        self.address, self.port = found[1], int(found[2])

    def get(self, path: str, **headers: str) -> bytes:
        with urllib.request.urlopen(urllib.request.Request(self.address + path, headers=headers)) as answer:
            content: bytes = answer.read()
            return content

    def events(self) -> list[tuple[str, Any]]:
        """All events until the end."""
        found: list[tuple[str, Any]] = []
        while True:
            answer = json.loads(self.get(f"events?after={len(found)}"))
            found += [tuple(each) for each in answer["events"]]
            assert answer["next"] == len(found)
            if answer["over"]:
                return found

    def ends(self) -> tuple[int, str]:
        """The exit status and the output."""
        with self.process:  # closes its pipes
            output, _ = self.process.communicate()
        return self.process.returncode, output


def test_the_page_has_the_search_and_the_findings(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_PROGRAM)
    check = _Running(tmp_path, "app.py", "--output", "report.json")
    page = check.get("").decode()
    assert "connect-src 'self'" in page
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            check.get("", **headers)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"http://127.0.0.1:{check.port}/")
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(check.address, data=b"x")
    events = check.events()
    status, output = check.ends()
    assert status == 1
    assert "Lost update" in output
    kinds = [kind for kind, _ in events]
    assert kinds[0] == "begin"
    assert kinds[-2:] == ["report", "over"]
    assert "sample" in kinds
    first, *_, last = [value["finding"] for kind, value in events if kind == "finding"]
    assert first["message"] == last["message"] == "AssertionError: <b>lost</b>"
    assert first["fingerprint"] == last["fingerprint"]
    assert not first["execution"]  # explained when the search has ended
    assert last["execution"]
    written = json.loads((tmp_path / "report.json").read_text())
    reported = dict(events)["report"]
    assert reported["failures"] == written["failures"]
    assert reported["executions"] == written["executions"]
    _rest(check)  # which ends when the server is gone


def test_the_program_sees_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_LOOKING + _PROGRAM.replace('"<b>lost</b>"', "repr(seen)"))
    check = _Running(tmp_path, "app.py", "--output", "report.json")
    assert check.events()
    check.ends()
    seen = _seen(tmp_path)
    command = [sys.executable, "-m", "mazurka", "check", "--no-save", "app.py", "--output", "report.json"]
    subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": _SRC}, capture_output=True, check=False)
    assert "'threading'" in seen[0]
    assert seen == _seen(tmp_path)


def _seen(folder: Path) -> tuple[str, list[int], int, str]:
    """The view of the program, and the search: its executions, and the failing one."""
    report = json.loads((folder / "report.json").read_text())
    (failure,) = report["failures"]
    return failure["message"], [each["step"] for each in failure["execution"]], report["executions"], failure["token"]


def test_several_targets_have_one_page(tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(_PROGRAM)
    check = _Running(tmp_path, "one.py", "two.py")
    events = check.events()
    assert check.ends()[0] == 1
    assert [value["target"] for kind, value in events if kind == "begin"] == ["one.py", "two.py"]
    reports = [value for kind, value in events if kind == "report"]
    assert [len(each["targets"]) for each in reports] == [1, 2, 2]
    assert events[-1][0] == "over"


def test_a_suppressed_failure_is_no_finding_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_PROGRAM)
    check = _Running(tmp_path, "app.py", "--ignore", "assertion: location app.py:*")
    kinds = [kind for kind, _ in check.events()]
    check.ends()
    assert "report" in kinds
    assert "finding" not in kinds


def test_the_page_can_be_opened_after_a_short_check(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_PROGRAM)
    check = _Running(tmp_path, "app.py")
    assert check.ends()[0] == 1
    assert check.events()[-1][0] == "over"
    _rest(check)  # which ends when the server is gone


def test_a_port_in_use_is_an_error_before_the_check(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_PROGRAM)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "mazurka", "check", f"--live={port}", "app.py"]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": _SRC}, capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert f"--live={port}: can't listen on this port: Address already in use" in done.stderr
    assert done.stdout == ""


def test_a_check_that_is_killed_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_PROGRAM.replace("(2,)", "(40,)"))
    check = _Running(tmp_path, "app.py", "--time-limit", "60")
    check.get("events?after=0")
    check.process.kill()
    check.ends()
    assert "over" not in [kind for kind, _ in _rest(check)]


def _rest(check: _Running) -> list[tuple[str, Any]]:
    """The events that the server still has for a page, until it is gone."""
    found: list[tuple[str, Any]] = []
    while True:
        try:
            answer = json.loads(check.get(f"events?after={len(found)}"))
        except (urllib.error.URLError, ConnectionError):
            return found
        found += answer["events"]
