"""Around the command line: completion, the manual page, the problem matcher for VS Code, hooks for pre-commit."""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import pytest

from mazurka.cli.group import VERBS

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_ROOT = Path(__file__).parents[2]


def completed(shell: Shell, words: str, place: int) -> list[str]:
    variables = {"COMP_WORDS": words, "COMP_CWORD": str(place), "_MAZURKA_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "mazurka"]
    environment = shell.variables() | variables
    done = subprocess.run(command, cwd=shell.folder, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_verbs_options_and_values_are_completed(shell: Shell) -> None:
    assert completed(shell, "mazurka ", 1) == list(VERBS)
    assert completed(shell, "mazurka ch", 1) == ["check"]
    assert completed(shell, "mazurka check --mem", 2) == ["--memory-model"]
    assert completed(shell, "mazurka check --memory-model ", 3) == ["sc", "tso", "pso"]
    assert "--quiet" in completed(shell, "mazurka check program.py --", 3)
    assert completed(shell, "mazurka check prog", 2) == ["prog"]  # of type `file`: the shell completes it
    assert completed(shell, "mazurka completion ", 2) == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(shell: Shell, name: str) -> None:
    script = shell.run("completion", name, status=0).stdout
    assert f"_MAZURKA_COMPLETE={name}_complete" in script
    if name == "bash":
        checked = "complete -p mazurka"
        variables = os.environ | {"SCRIPT": script}
        done = subprocess.run(
            ["bash", "-c", f'eval "$SCRIPT"; {checked}'], env=variables, capture_output=True, text=True, check=True
        )
        assert "_mazurka_completion mazurka" in done.stdout


@pytest.fixture
def installed(shell: Shell) -> dict[str, str]:
    """The environment of a shell that finds `mazurka`."""
    command = shell.folder / "bin" / "mazurka"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m mazurka "$@"\n')
    command.chmod(0o755)
    variables = shell.variables()
    return variables | {"PATH": f"{command.parent}:{variables['PATH']}", "HOME": str(shell.folder), "TERM": "dumb"}


@pytest.mark.long
def test_fish_completes_if_it_is_installed(shell: Shell, installed: dict[str, str]) -> None:
    if (fish := which("fish")) is None:
        return
    (shell.folder / "mazurka.fish").write_text(shell.run("completion", "fish", status=0).stdout)

    def asked(line: str) -> list[str]:
        command = [fish, "--no-config", "-c", f"source mazurka.fish; complete -C '{line}'"]
        done = subprocess.run(command, cwd=shell.folder, env=installed, capture_output=True, text=True, check=True)
        assert not done.stderr
        return [each.partition("\t")[0] for each in done.stdout.splitlines()]

    assert asked("mazurka ch") == ["check"]
    assert "--memory-model" in asked("mazurka check --m")
    assert sorted(asked("mazurka check --memory-model ")) == ["pso", "sc", "tso"]


@pytest.mark.long
def test_zsh_completes_if_it_is_installed(shell: Shell, installed: dict[str, str]) -> None:
    if (zsh := which("zsh")) is None:
        return
    (shell.folder / "_mazurka").write_text(shell.run("completion", "zsh", status=0).stdout)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(shell.folder)
        os.execve(zsh, [zsh, "-f", "-i"], installed)
    try:
        _typed(terminal, "fpath+=$PWD; autoload -Uz compinit; compinit -u; PS1='rea''dy> '\n", "ready> ")
        _typed(terminal, "mazurka ch\t", "mazurka check")
        _typed(terminal, "\x15mazurka check --memory-model t\t", "--memory-model tso")
    finally:
        os.close(terminal)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _typed(terminal: int, keys: str, expected: str) -> None:
    """Type keys, and wait until the terminal shows a text."""
    os.write(terminal, keys.encode())
    shown = ""
    while expected not in shown:
        assert select.select([terminal], [], [], 60)[0], f"{expected!r} is not in {shown!r}"
        shown += os.read(terminal, 4096).decode(errors="replace").replace("\r", "")
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def test_a_shell_without_a_script(shell: Shell) -> None:
    assert "'tcsh' is not one of" in shell.run("completion", "tcsh", status=2).stderr
    assert "Did you mean zsh?" in shell.run("completion", "zhs", status=2).stderr


def test_the_manual_page_has_all_verbs_and_options(shell: Shell) -> None:
    page = shell.run("man", status=0).stdout
    assert page.startswith('.TH MAZURKA 1 "" "mazurka ')
    for verb in VERBS:
        assert f".SH {verb.upper()}\n" in page
    for option in (r"\-\-memory\-model", r"\-\-changed", r"\-\-engine", r"\-\-pdb"):
        assert option in page
    # A line that begins with a dot is a request, and these are all; nothing else is between backslashes.
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".B", ".PP", ".TP", ".ad"}
    assert set(re.findall(r"\\(.)", page)) <= set("-ef&")


def patterns() -> list[list[dict[str, object]]]:
    tasks = json.loads((_ROOT / "examples" / "editors" / "tasks.json").read_text())["tasks"]
    return [task["problemMatcher"]["pattern"] for task in tasks]


@pytest.mark.parametrize(
    ("report", "file", "line", "message"),
    [
        ("bank.text", "bank.py", 21, "AssertionError: 200 expected, 150 found"),
        ("transfer.text", "transfer.py", 13, "deadlock: threads wait for one another"),
        ("order_violation.text", "order_violation.py", 0, ""),
    ],
)
def test_the_problem_matcher_reads_reports(report: str, file: str, line: int, message: str) -> None:
    text = (_ROOT / "tests" / "golden" / "expected" / f"{report}.txt").read_text().splitlines()
    for first, second in patterns():
        found = [
            (one, two)
            for above, below in itertools.pairwise(text)
            if (one := re.search(str(first["regexp"]), above)) and (two := re.search(str(second["regexp"]), below))
        ]
        ((one, two),) = found
        assert two[int(str(second["file"]))] == file
        assert not line or int(two[int(str(second["line"]))]) == line
        assert not message or one[int(str(first["message"]))] == message


def test_a_hook_for_commits() -> None:
    text = (_ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: mazurka (.*)$", text, re.MULTILINE)
    assert entries == ["check --changed --no-progress"] * 2
    assert text.count("pass_filenames: false") == 2


def test_nothing_is_checked_without_targets(shell: Shell) -> None:
    shell.write("program.py", "x = 1\n")
    subprocess.run(["git", "init", "-q"], cwd=shell.folder, check=True)
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"],
        cwd=shell.folder,
        check=True,
    )
    assert "targets in [tool.mazurka]" in shell.run("check", "--changed", "--no-progress", status=2).stderr
