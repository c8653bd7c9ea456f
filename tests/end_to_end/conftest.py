"""The command line and pytest, run as a user runs them: in a process of their own, in a folder of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded

_TIMEOUT_SECONDS = 120


def _let_children_answer_interrupts() -> None:
    """They inherit that they are ignored, as in whatever a shell runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder with programs in it, and the commands run there."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, source: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        return path

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", *arguments]

    def variables(self) -> dict[str, str]:
        return preloaded.environment(**self.environment)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        _let_children_answer_interrupts()
        return subprocess.Popen(
            self.command("mazurka", *arguments),
            cwd=self.folder,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, status: int | None = None) -> subprocess.CompletedProcess[str]:
        """A command as after a fresh start (`tests/preloaded.py`)."""
        return self._ended(preloaded.run(arguments, self.folder, self.variables(), _TIMEOUT_SECONDS), status)

    def pytest(self, *arguments: str, status: int | None = None) -> subprocess.CompletedProcess[str]:
        # To import Hypothesis takes as long as pytest does, and a check then looks at all of its objects.
        plugin = ["-p", "mazurka.pytest_plugin", "-p", "no:hypothesispytest"]
        plugin += ["-p", "no:cacheprovider"] if "--lf" not in arguments else []
        done = preloaded.run_pytest([*plugin, *arguments], self.folder, self.variables(), _TIMEOUT_SECONDS)
        return self._ended(done, status)

    def _ended(self, done: subprocess.CompletedProcess[str], status: int | None) -> subprocess.CompletedProcess[str]:
        if status is not None:
            said = f"{done.stdout[-3000:]}\n--- standard error\n{done.stderr[-4000:]}"
            assert done.returncode == status, f"exit status {done.returncode}, not {status}\n{said}"
        return done

    def check(self, source: str, *options: str, status: int) -> Any:
        """Write a program, check it, and return the JSON report."""
        self.write("program.py", source)
        return json.loads(self.run("check", "program.py", "--format", "json", *options, status=status).stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)
