"""`mazurka check --changed`: only findings in lines that differ from a commit of git."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from mazurka.workflows.changes import changes_since

if TYPE_CHECKING:
    from pathlib import Path

    from tests.end_to_end.conftest import Shell

_COUNTER = """
    class Counter:
        def __init__(self):
            self.number = 0
            self.other = 0

        def add(self):
            {add}

        def add_other(self):
            with lock:
                self.other += 1
    """

_PROGRAM = """
    import threading

    import counters

    counters.lock = threading.Lock()

    def main():
        counter = counters.Counter()
        threads = [threading.Thread(target=each) for each in 2 * [counter.add] + 2 * [counter.add_other]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter.number == 2
        assert counter.other == 2

    main()
    """

_LOCKED = "with lock:\n                self.number += 1"
_UNLOCKED = "self.number += 1"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(shell: Shell) -> Shell:
    shell.write("counters.py", _COUNTER.format(add=_LOCKED))
    shell.write("program.py", _PROGRAM)
    shell.write(".gitignore", ".mazurka\n__pycache__\n")
    git(shell.folder, "init")
    git(shell.folder, "add", ".")
    git(shell.folder, "commit", "-m", "first")
    return shell


def check(project: Shell, *options: str, status: int) -> str:
    return project.run("check", "program.py", "--changed", *options, "--fresh", status=status).stdout


def test_a_finding_is_reported_where_its_cause_has_changed(project: Shell) -> None:
    project.write("counters.py", _COUNTER.format(add=_UNLOCKED))
    assert "Lost update" in check(project, status=1)  # though the assertion that fails has not changed
    git(project.folder, "add", ".")
    assert "Lost update" in check(project, status=1)
    git(project.folder, "commit", "-m", "second")
    out = check(project, status=0)
    assert out.startswith("inconclusive: 1 failure is suppressed\n")
    assert "none of its lines has changed since HEAD" in out
    assert "Lost update" in project.run("check", "program.py", "--changed=HEAD~1", status=1).stdout
    assert check(project, "--require-complete", status=3)


def test_other_changes_do_not_matter(project: Shell) -> None:
    project.write("counters.py", _COUNTER.format(add=_UNLOCKED))
    git(project.folder, "commit", "-am", "second")
    text = (project.folder / "counters.py").read_text()
    (project.folder / "counters.py").write_text("# a comment\n" + text.replace("self.other += 1", "self.other += 1  #"))
    project.write("new.py", "x = 1\n")
    assert "none of its lines has changed" in check(project, status=0)


def test_a_renamed_file_has_not_changed_and_a_new_one_has(project: Shell) -> None:
    project.write("counters.py", _COUNTER.format(add=_UNLOCKED))
    git(project.folder, "commit", "-am", "second")
    git(project.folder, "mv", "counters.py", "counting.py")
    (project.folder / "program.py").write_text(
        (project.folder / "program.py").read_text().replace("counters", "counting")
    )
    git(project.folder, "commit", "-am", "third")
    assert "none of its lines" in project.run("check", "program.py", "--changed=HEAD", status=0).stdout
    git(project.folder, "mv", "counting.py", "strange\tname.py")
    git(project.folder, "mv", "strange\tname.py", "counting.py")
    git(project.folder, "rm", "--cached", "counting.py")
    assert "Lost update" in check(project, status=1)


def test_several_targets(project: Shell) -> None:
    project.write("counters.py", _COUNTER.format(add=_UNLOCKED))
    project.write("other.py", "# new\n" + (project.folder / "program.py").read_text())
    out = project.run("check", "--changed", "program.py", "other.py", status=1).stdout
    assert out.splitlines()[-1] == "2 targets: 2 violations; 2 failures"
    git(project.folder, "commit", "-am", "second")
    out = project.run("check", "--changed", "program.py", "other.py", status=1).stdout
    assert out.splitlines()[-1] == "2 targets: 1 violation, 1 inconclusive; 1 failure"


def test_changed_lines(project: Shell) -> None:
    lines = [f"line {number}" for number in range(1, 21)]
    path = project.folder / 'quoted "é\\ name.txt'
    path.write_text("\n".join(lines) + "\n")
    git(project.folder, "add", ".")
    git(project.folder, "commit", "-m", "second")
    lines[3] = "+++ b/other"
    lines[6:9] = []
    lines.append("--- at the end")
    path.write_text("\n".join(lines) + "\n")
    (project.folder / "new").write_text("")
    changes = changes_since("HEAD", project.folder)
    assert changes.lines == {str(path): frozenset({4, 6, 7, 18}), str(project.folder / "new"): None}


@pytest.mark.parametrize("commit", ["nothing", "--output=x", "HEAD~99", ""])
def test_a_wrong_commit(project: Shell, commit: str) -> None:
    failed = project.run("check", "program.py", f"--changed={commit}", status=2)
    assert f"--changed: git knows no commit {commit}" in failed.stderr
    assert not (project.folder / "x").exists()


def test_without_a_working_tree(shell: Shell) -> None:
    shell.write("program.py", _PROGRAM)
    failed = shell.run("check", "program.py", "--changed", status=2)
    assert "--changed: not a git repository" in failed.stderr
    git(shell.folder, "init")
    assert "make a first commit" in shell.run("check", "program.py", "--changed", status=2).stderr
    shell.environment["PATH"] = str(shell.folder)
    assert "git is not installed" in shell.run("check", "program.py", "--changed", status=2).stderr
