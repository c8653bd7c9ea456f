"""Child processes beside threads: their arguments, the files that they use, and the effects that are not controlled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

_IMPORTS = "import os, signal, subprocess, sys\n"

#: Correct programs, and the assumption of their verdicts.
CORRECT = {
    "return codes": ("def work(): assert subprocess.run(['sh', '-c', 'exit 3']).returncode == 3\nrun(work, work)", ""),
    "output": ("def work(): assert subprocess.check_output(['echo', '1']) == b'1\\n'\nrun(work, work)", ""),
    "input": (
        """
        def work():
            child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert child.communicate("x")[0] == "x" and child.poll() == 0
        run(work, work)
        """,
        "",
    ),
    "lines": (
        """
        def work():
            with subprocess.Popen(["printf", "a\\\\nb"], stdout=subprocess.PIPE, text=True) as child:
                assert list(child.stdout) == ["a\\n", "b"]
        run(work, work)
        """,
        "",
    ),
    "no such program": (
        """
        def work():
            try:
                subprocess.run(["there-is-no-such-program"])
            except FileNotFoundError:
                return
            raise AssertionError
        run(work, work)
        """,
        "",
    ),
    "files of their own": (
        """
        def making(name): return lambda: subprocess.run(["touch", name], check=True)
        run(making("one"), making("two"))
        assert os.path.exists("one") and os.path.exists("two")
        """,
        "",
    ),
    "output to files": (
        """
        def writing(name):
            def work():
                with open(name, "w") as file:
                    subprocess.run(["echo", name], stdout=file, check=True)
                with open(name) as file:
                    assert file.read() == name + "\\n"
            return work
        run(writing("one"), writing("two"))
        """,
        "",
    ),
    "a limit": (
        "def work(): subprocess.run(['true'], timeout=30, check=True)\nrun(work, work)",
        "no timeout of a wait for a child process fires",
    ),
    "a signal": (
        """
        def work():
            child = subprocess.Popen(["sleep", "100"])
            child.terminate()
            assert child.wait() == -signal.SIGTERM
        run(work, work)
        """,
        "no child process ends by itself before it gets a signal",
    ),
}

#: Programs that fail in some order that is explored.
FAILING = {
    "arguments": """
        command, out = ["echo", "1"], []
        run(lambda: out.append(subprocess.check_output(command)), lambda: command.__setitem__(1, "2"))
        assert out == [b"1\\n"]
        """,
    "working directory": """
        here, out = os.getcwd(), []
        run(lambda: out.append(subprocess.check_output(["pwd"], text=True)), lambda: os.chdir("/"))
        assert out == [here + "\\n"]
        """,
    "output shared": """
        child, out = subprocess.Popen(["printf", "a\\\\nb\\\\n"], stdout=subprocess.PIPE), {}
        run(lambda: out.setdefault(1, child.stdout.readline()), lambda: out.setdefault(2, child.stdout.readline()))
        child.wait()
        assert out[1] == b"a\\n"
        """,
}

#: Programs of which no order says how it is with others, and the reason that is given.
UNCONTROLLED = {
    "two children and a file": (
        """
        def appending(word): return lambda: subprocess.run(["sh", "-c", f"echo {word} >> log"], check=True)
        run(appending("a"), appending("b"))
        """,
        "two child processes that use",
    ),
    "a child and a thread": (
        "run(lambda: subprocess.run(['test', '-e', 'flag']), lambda: open('flag', 'w').close())",
        "a child process and a thread that use",
    ),
    "a child and its starter": (
        """
        def work():
            child = subprocess.Popen(["sh", "-c", "echo > made"])
            os.path.exists("made")
            child.wait()
        run(work, int)
        """,
        "a child process and a thread that use",
    ),
    "a shared open file": (
        """
        with open("out", "w") as file:
            def work(): subprocess.run(["echo", "x"], stdout=file)
            run(work, work)
        """,
        "at the same time",
    ),
    "under a lock": (
        """
        lock = threading.Lock()
        def one():
            with lock: subprocess.run(["touch", "made"])
        def other():
            with lock: os.path.exists("made")
        run(one, other)
        """,
        "a child process and a thread that use",
    ),
    "asked whether it runs": (
        """
        def work():
            child = subprocess.Popen(["true"])
            child.poll()
            child.wait()
        run(work, work)
        """,
        "poll of a child process that may be running",
    ),
    "left running": ("run(lambda: subprocess.Popen(['sleep', '50']), int)", "a child process left running (sleep 50)"),
    "leaves another one": (
        "run(lambda: subprocess.run(['sh', '-c', 'sleep 50 &']), int)",
        "leaves other processes running",
    ),
    "a signal to us": (
        """
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        run(lambda: subprocess.run("kill -USR1 $PPID", shell=True), int)
        """,
        "a child process that calls kill",
    ),
    "a socket": (
        """
        code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
        run(lambda: subprocess.run([sys.executable, "-S", "-c", code]), int)
        """,
        "a child process that calls connect",
    ),
    "a folder on the way": (
        """
        def use():
            try:
                os.mkdir("folder/inner")
            except FileNotFoundError:
                return
        run(use, lambda: subprocess.run(["mkdir", "folder"]))
        """,
        "a child process and a thread that use",
    ),
    "a database": (
        """
        import sqlite3
        def change():
            with sqlite3.connect("base") as connection:
                connection.execute("create table numbers (number)")
            connection.close()
        sqlite3.connect("base").close()
        run(change, lambda: subprocess.run(["cat", "base"]))
        """,
        "a child process and a thread that use",
    ),
    "a pipe with a name": (
        """
        os.mkfifo("pipe")
        held = os.open("pipe", os.O_RDWR)
        run(lambda: subprocess.run(["head", "-c", "1", "pipe"]), lambda: os.write(held, b"x"))
        os.close(held)
        """,
        "",
    ),
    "preexec_fn": ("run(lambda: subprocess.run(['true'], preexec_fn=int), int)", "with preexec_fn"),
    "a short limit": ("run(lambda: subprocess.run(['true'], timeout=0.05), int)", ""),
    "os.waitpid": (
        """
        def work():
            child = subprocess.Popen(["true"])
            os.waitpid(child.pid, 0)
            child.wait()
        run(work, int)
        """,
        "os.waitpid beside child processes",
    ),
    "input written by hand": (
        """
        def work():
            child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            child.stdin.write(b"x")
            child.communicate()
        run(work, int)
        """,
        "that was open before",
    ),
    "how much there is": (
        """
        def work():
            with subprocess.Popen(["echo", "x"], stdout=subprocess.PIPE) as child:
                child.stdout.read1()
        run(work, int)
        """,
        "how much a child process has written so far",
    ),
}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.mark.sampled
@pytest.mark.parametrize("name", CORRECT)
def test_correct_programs(tmp_path: Path, name: str) -> None:
    source, assumption = CORRECT[name]
    result = explored(tmp_path, source, _IMPORTS)
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert result.report.assuming == assumption


@pytest.mark.filterwarnings("ignore")  # of pipes that are left open
@pytest.mark.parametrize("name", FAILING)
def test_failures_are_found(tmp_path: Path, name: str) -> None:
    result = explored(tmp_path, FAILING[name], _IMPORTS)
    assert result.verdict is Verdict.VIOLATION, str(result)


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")  # of children that are left running
@pytest.mark.parametrize("name", UNCONTROLLED)
def test_others_are_not_proved(tmp_path: Path, name: str) -> None:
    source, reason = UNCONTROLLED[name]
    result = explored(tmp_path, source, _IMPORTS)
    assert result.verdict is Verdict.INCONCLUSIVE, str(result)
    assert reason in str(result).replace("\n  ", " ")


def test_changes_of_files_are_put_back(tmp_path: Path) -> None:
    for name in ("changed", "removed", "moved", "described"):
        Path(name).write_text(name)
        os.utime(name, ns=(1, 2))
    before = {each.name: (each.read_text(), each.stat().st_mode, each.stat().st_mtime_ns) for each in Path().iterdir()}
    source = """
        command = "echo x >> changed; rm removed; mv moved there; chmod 600 described; mkdir new; echo y > new/file"
        run(lambda: subprocess.run(command, shell=True, check=True), int)
        assert sorted(os.listdir()) == ["changed", "described", "new", "there"]
    """
    result = explored(tmp_path, source, _IMPORTS)
    assert result.verdict is Verdict.VERIFIED, str(result)
    after = {each.name: (each.read_text(), each.stat().st_mode, each.stat().st_mtime_ns) for each in Path().iterdir()}
    assert after == before
