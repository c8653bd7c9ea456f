"""Files: check-then-act on them is found, and every execution finds them as the first one did."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

_FOLDER = """
    import json, os, pathlib, shutil, tempfile
    folder = pathlib.Path(tempfile.mkdtemp())
    path = folder / "file"
"""

RACES = {
    "a file in memory": """
        memory = os.memfd_create("memory")
        os.write(memory, b"0")
        def work():
            n = int(os.pread(memory, 1, 0))
            os.pwrite(memory, b"%d" % (n + 1), 0)
        run(work, work)
        assert os.pread(memory, 1, 0) == b"2"
    """,
    "looks, then removes": """
        path.write_text("x")
        def work():
            if os.path.exists(path):
                os.remove(path)
        run(work, work)
    """,
    "looks, then makes a directory": """
        def work():
            if not path.is_dir():
                path.mkdir()
        run(work, work)
    """,
    "looks, then renames": """
        path.write_text("x")
        def work():
            if path.exists():
                path.rename(folder / "other")
        run(work, work)
    """,
    "lists, then looks": """
        path.write_text("x")
        def look():
            for name in os.listdir(folder):
                os.stat(folder / name)
        run(look, path.unlink)
    """,
    "walks": """
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("x")
        def look():
            assert [names for _, _, names in os.walk(folder)][-1] == ["file"]
        run(look, lambda: shutil.rmtree(folder / "inner"))
    """,
    "a directory on the way": """
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("x")
        def look():
            if (folder / "inner").exists():
                (folder / "inner" / "file").read_text()
        run(look, lambda: os.rename(folder / "inner", folder / "other"))
    """,
    "a link on the way": """
        for name in ("a", "b"):
            (folder / name).mkdir()
            (folder / name / "file").write_text(name)
        link = folder / "link"
        link.symlink_to("a")
        def move():
            (folder / "new").symlink_to("b")
            os.replace(folder / "new", link)
        def look():
            assert (link / "file").read_text() == (link / "file").read_text()
        run(move, look)
    """,
    "reads what is half written": """
        path.write_text("5")
        def work():
            with open(path, "w") as stream:
                stream.write("6")
        def look():
            int(path.read_text())
        run(work, look)
    """,
    "reads, then writes": """
        path.write_text('{"n": 0}')
        def work():
            with path.open() as stream:
                found = json.load(stream)
            found["n"] += 1
            (folder / str(threading.get_ident())).write_text(json.dumps(found))
            os.replace(folder / str(threading.get_ident()), path)
        run(work, work)
        assert json.loads(path.read_text())["n"] == 2
    """,
    "what is flushed when": """
        def work():
            with open(path, "w") as stream:
                stream.write("a")
                stream.flush()
                stream.write("b")
        def look():
            if path.exists():
                assert path.read_text() != "a"
        run(work, look)
    """,
    "a position that is shared": """
        path.write_text("abcd")
        stream = path.open()
        def work(at):
            stream.seek(at)
            assert stream.read(1) == "abcd"[at]
        run(lambda: work(0), lambda: work(2))
        stream.close()
    """,
    "a file that is closed": """
        stream = path.open("w")
        def work():
            if not stream.closed:
                stream.write("x")
        run(work, stream.close)
    """,
    "descriptors": """
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        os.write(descriptor, b"abcd")
        def work(at):
            os.lseek(descriptor, at, os.SEEK_SET)
            assert os.read(descriptor, 1) == b"abcd"[at:at + 1]
        run(lambda: work(0), lambda: work(2))
        os.close(descriptor)
    """,
    "a lock file without O_EXCL": """
        inside = []
        def work():
            if path.exists():
                return
            path.touch()
            inside.append(1)
            assert len(inside) == 1
            inside.pop()
            path.unlink()
        run(work, work)
    """,
    "an unnamed file": """
        stream = tempfile.TemporaryFile("w+")
        stream.write("abcd")
        def work(at):
            stream.seek(at)
            assert stream.read(1) == "abcd"[at]
        run(lambda: work(0), lambda: work(2))
    """,
    "an old name of a file": """
        path.write_text("x")
        stream = path.open("a")
        def rotate():
            path.rename(folder / "old")
        def work():
            stream.write("y")
            stream.flush()
            assert path.read_text() == "xy"
        run(rotate, work)
        stream.close()
    """,
    "locks that don't exclude": """
        import fcntl
        path.write_text("0")
        def work():
            descriptor = os.open(path, os.O_RDWR)
            fcntl.lockf(descriptor, fcntl.LOCK_EX)
            n = int(os.read(descriptor, 9))
            os.pwrite(descriptor, b"%d" % (n + 1), 0)
            os.close(descriptor)
        run(work, work)
        assert path.read_text() == "2"
    """,
    "locks in the wrong order": """
        import fcntl
        def work(*names):
            streams = []
            for name in names:
                streams.append(open(folder / name, "w"))
                fcntl.flock(streams[-1], fcntl.LOCK_EX)
            for stream in streams:
                stream.close()
        run(lambda: work("a", "b"), lambda: work("b", "a"))
    """,
}

#: Those that other strategies have to find, too.
FEW = (
    *("looks, then removes", "looks, then makes a directory", "lists, then looks", "a link on the way"),
    *("a position that is shared", "descriptors", "locks in the wrong order"),
)

CORRECT = {
    "under a lock": """
        lock = threading.Lock()
        path.write_text("0")
        def work():
            with lock:
                n = int(path.read_text())
                path.write_text(str(n + 1))
        run(work, work)
        assert path.read_text() == "2"
    """,
    "locks on files": """
        import fcntl
        path.write_text("0")
        def work():
            with path.open("r+") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)
                n = int(stream.read())
                stream.seek(0)
                stream.write(str(n + 1))
                stream.flush()
        run(work, work)
        assert path.read_text() == "2"
    """,
    "exclusive creation": """
        made = []
        def work():
            try:
                with open(path, "x"):
                    made.append(1)
            except FileExistsError:
                pass
        run(work, work)
        assert made == [1]
    """,
    "files of their own": """
        def work():
            handle, name = tempfile.mkstemp()
            with os.fdopen(handle, "w") as stream:
                stream.write("x")
            assert os.path.getsize(name) == 1
            os.unlink(name)
            with tempfile.TemporaryDirectory() as own:
                pathlib.Path(own, "file").write_text("x")
                assert os.listdir(own) == ["file"]
        run(work, work)
    """,
    "lines appended": """
        path.touch()
        def work(line):
            with path.open("a") as stream:
                stream.write(line)
        run(lambda: work("a"), lambda: work("b"))
        assert sorted(path.read_text()) == ["a", "b"]
    """,
    "atomic replacement": """
        path.write_text("one")
        def work():
            new = folder / "new"
            new.write_text("two")
            os.replace(new, path)
        def look():
            assert path.read_text() in ("one", "two")
        run(work, look)
    """,
    "tools of the library": """
        path.write_text("x" * 10_000)
        def work(name):
            shutil.copy2(path, folder / name)
            with open(folder / name, "rb") as stream:
                assert len(stream.read()) == 10_000
            shutil.copytree(folder / "tree", folder / f"{name}-tree")
            assert sorted(each.name for each in (folder / f"{name}-tree").rglob("*")) == ["a", "b"]
        (folder / "tree").mkdir()
        (folder / "tree" / "a").touch()
        (folder / "tree" / "b").touch()
        run(lambda: work("first"), lambda: work("second"))
        for each in os.scandir(folder):
            assert each.is_dir() or each.stat().st_size
    """,
}


def _source(body: str) -> str:
    from textwrap import dedent

    return dedent(_FOLDER) + dedent(body)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a program that is run in a process of its own."""
    folder = tmp_path / "alone"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2] / "src"))
    return folder


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")  # of files that the programs leave open
@pytest.mark.parametrize(
    ("strategy", "name"),
    [
        *(("mcr", name) for name in RACES),
        *((strategy, name) for strategy in ("dfs", "dpor", "se-mcr") for name in FEW),
    ],
)
def test_races_are_found(tmp_path: Path, name: str, strategy: str) -> None:
    result = explored(tmp_path, _source(RACES[name]), strategy=strategy)
    assert result.verdict is Verdict.VIOLATION, str(result)
    assert os.listdir(tmp_path / "temporary") == []


@pytest.mark.sampled
@pytest.mark.parametrize("name", CORRECT)
def test_no_more_than_that(tmp_path: Path, name: str) -> None:
    result = explored(tmp_path, _source(CORRECT[name]), strategy="auto")
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert os.listdir(tmp_path / "temporary") == []


# -- the user's files ----------------------------------------------------------------------------

_COUNTING = """
    import os
    path = {path!r}
    def work():
        with open(path) as stream:
            n = int(stream.read() or 0)
        with open(path, "w") as stream:
            stream.write(str(n + 1))
    run(work, work)
    with open(path) as stream:
        assert stream.read() == "2"
"""


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_every_execution_finds_the_users_files_as_they_were(tmp_path: Path, isolation: str) -> None:
    path = tmp_path / "count"
    path.write_text("0")
    os.utime(path, ns=(10**18, 10**18))
    result = explored(
        tmp_path, _COUNTING.format(path=str(path)), strategy="dpor", isolation=isolation, all_failures=True
    )
    assert result.verdict is Verdict.VIOLATION
    assert result.executions > 5
    assert path.read_text() == "0"
    assert path.stat().st_mtime_ns == 10**18


def test_a_program_may_remove_its_own_source_and_go_elsewhere(tmp_path: Path) -> None:
    source = """
        import os
        def work():
            os.chdir("/")
            if os.path.exists(__file__):
                os.remove(__file__)
        run(work, work)
    """
    before = os.getcwd()
    result = explored(tmp_path, source, strategy="mcr")
    assert result.verdict is Verdict.VIOLATION, str(result)
    assert os.getcwd() == before
    assert (tmp_path / "project" / "outside_subject.py").exists()


def test_what_cannot_be_kept_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, (64 << 20) + 1)
    source = f"""
        def work():
            with open({str(path)!r}, "r+") as stream:
                stream.write("x")
        run(work, work)
    """
    result = explored(tmp_path, source, strategy="mcr")
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "could not be put back: it is larger than 64 MB" in str(result)
    with path.open("rb") as stream:
        assert stream.read(1) == b"\0"


def test_a_file_with_two_names_that_is_written_by_one_is_untracked(tmp_path: Path) -> None:
    source = """
        other = folder / "other"
        path.write_text("0")
        os.link(path, other)
        def work(name):
            n = int(name.read_text())
            with open(name, "r+") as stream:
                stream.write(str(n + 1))
        run(lambda: work(path), lambda: work(other))
    """
    result = explored(tmp_path, _source(source))
    assert result.verdict is Verdict.INCONCLUSIVE, str(result)
    assert "which has other names" in str(result)


def test_a_file_that_was_opened_with_the_module_is_as_before_each_execution(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("before\n")
    source = f"""
        run(lambda: print("x", file=log), lambda: print("y", file=log))
        log.flush()
        with open({str(path)!r}) as stream:
            assert stream.read() == "before\\nx\\ny\\n"
    """
    result = explored(tmp_path, source, f"log = open({str(path)!r}, 'a')\n", strategy="mcr")
    assert result.verdict is Verdict.VIOLATION, str(result)
    assert path.read_text() == "before\n"


def test_a_file_whose_descriptor_was_closed_is_not_open(tmp_path: Path) -> None:
    with open(tmp_path / "open", "w"), open(tmp_path / "closed", "w") as file:
        spare = os.dup(file.fileno())
        os.close(file.fileno())
        try:
            result = explored(tmp_path, "run(int, int)")
        finally:
            os.dup2(spare, file.fileno())
            os.close(spare)
    assert result.verdict is Verdict.VERIFIED, str(result)


def test_a_file_that_a_module_opens_when_it_is_imported_is_followed(alone: Path) -> None:
    program = alone / "subject.py"
    program.write_text(
        "import threading\n"
        "log = open('log', 'a')\n"
        "def main():\n"
        "    threads = [threading.Thread(target=print, args=(text,), kwargs={'file': log}) for text in 'xy']\n"
        "    [thread.start() for thread in threads]\n"
        "    [thread.join() for thread in threads]\n"
        "    log.flush()\n"
        "    assert open('log').read() == 'before\\nx\\ny\\n'\n"
    )
    (alone / "log").write_text("before\n")
    command = [sys.executable, "-m", "mazurka", "check", "subject.py::main", "--format", "json", "--no-save"]
    done = subprocess.run(command, cwd=alone, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["verdict"] == "violation", done.stdout + done.stderr
    assert (alone / "log").read_text() == "before\n"


def test_paths_in_proc_are_the_same_in_each_process(tmp_path: Path) -> None:
    source = """
        import os
        def look():
            os.stat("/proc/self/ns/pid")
            os.readlink("/proc/self/ns/pid")
            os.path.realpath("/proc/self/ns/pid")
            assert os.path.exists(f"/proc/{os.getpid()}/status")
        run(look, look)
    """
    result = explored(tmp_path, source, isolation="fork")
    assert result.verdict is Verdict.VERIFIED, str(result)


def test_a_child_that_dies_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")
    source = f"""
        import ctypes, os
        def work():
            with open({str(path)!r}, "w") as stream:
                stream.write("1")
            ctypes.string_at(0)
        run(work, work)
    """
    result = explored(tmp_path, source, strategy="mcr", isolation="fork")
    assert result.verdict is Verdict.INCONCLUSIVE
    assert path.read_text() == "0"


def test_the_next_check_finishes_what_a_killed_one_has_left(tmp_path: Path, alone: Path) -> None:
    count = tmp_path / "count"
    count.write_text("0")
    (alone / "doomed.py").write_text(
        "import threading\n"
        "def main():\n"
        "    threads = [threading.Thread(target=print) for _ in 'xy']\n"
        "    [thread.start() for thread in threads]\n"
        f"    with open({str(count)!r}, 'w') as stream:\n"
        "        stream.write('1')\n"
        "    sum(range(10**12))\n"
    )
    (alone / "other.py").write_text("import threading\n")
    command = [sys.executable, "-m", "mazurka", "check", "--no-save"]
    doomed = subprocess.Popen([*command, "doomed.py::main"], cwd=alone, start_new_session=True)
    while count.read_text() != "1":
        assert doomed.poll() is None
    for number in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(number) == doomed.pid:
                os.kill(number, signal.SIGKILL)
    doomed.wait()
    subprocess.run([*command, "other.py"], cwd=alone, check=False, capture_output=True)
    assert count.read_text() == "0"
