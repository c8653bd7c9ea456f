"""A program finds the same in a fork of a preloaded interpreter as in a fresh one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded

_PROGRAM = """\
import os, sys, threading

found = {
    "modules": sorted(sys.modules),
    "path": sys.path,
    "arguments": sys.argv,
    "original arguments": sys.orig_argv,
    "environment": sorted(os.environ.items()),
    "folder": os.getcwd(),
    "descriptors": sorted(os.listdir("/dev/fd")),
    "streams": [(each.encoding, each.line_buffering, each.isatty()) for each in (sys.stdin, sys.stdout, sys.stderr)],
    "flags": list(sys.flags),
    "hash": hash("mazurka"),
}
text = __import__("json").dumps(found)
thread = threading.Thread(target=print)
thread.start()
thread.join()
print(text)
assert RECORDED, text
"""


def _found(verb: str, done: subprocess.CompletedProcess[str]) -> Any:
    if verb == "record":
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    return json.loads(json.loads(done.stdout)["failures"][0]["message"].partition(": ")[2])


@pytest.mark.parametrize(
    "command", [("check", "program.py", "--format", "json", "--no-save"), ("record", "program.py")]
)
def test_a_program_finds_the_same(command: tuple[str, ...], tmp_path: Path) -> None:
    verb, environment = command[0], preloaded.environment(MORE="1")
    (tmp_path / "program.py").write_text(_PROGRAM.replace("RECORDED", str(verb == "record")))
    known = _found(verb, preloaded.run_fresh(command, tmp_path, environment, 60))
    for recording in tmp_path.glob("*.recording"):
        recording.rename(tmp_path / "former")
    found = _found(verb, preloaded.run(command, tmp_path, environment, 60))
    for name in known:
        assert found[name] == known[name], name


def test_how_a_command_ends_is_told(tmp_path: Path) -> None:
    environment = preloaded.environment()
    for command in (["check", "missing.py"], ["check", "--help"], ["predict", "missing.std"], ["trace"]):
        known = preloaded.run_fresh(command, tmp_path, environment, 60)
        assert vars(preloaded.run(command, tmp_path, environment, 60)) == vars(known)
    (tmp_path / "program.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert preloaded.run(["record", "program.py"], tmp_path, environment, 60).returncode == -9


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("while True: pass\n")
    with pytest.raises(subprocess.TimeoutExpired):
        preloaded.run(["record", "program.py"], tmp_path, preloaded.environment(), 1)
    assert preloaded.run(["record", "--help"], tmp_path, preloaded.environment(), 60).returncode == 0


def test_a_server_that_has_died_leaves_no_descriptors(tmp_path: Path) -> None:
    server = preloaded.start(["json"])
    before = sorted(os.listdir("/dev/fd"))
    server.process.kill()
    server.process.wait()
    with pytest.raises((AssertionError, OSError)):
        server.run(["python", "-m", "mazurka", "trace"], tmp_path, preloaded.environment(), 60)
    assert sorted(os.listdir("/dev/fd")) == before
    server.end()
