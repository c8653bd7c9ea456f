"""Files: check-then-act on them is found, and every execution finds them as the first one did."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mazurka.report.check_report import Verdict
from tests.unit.outside_programs import explored

_FOLDER = """
    import json, os, pathlib, shutil, tempfile
    folder = pathlib.Path(tempfile.mkdtemp())
    path = folder / "file"
"""

RACES = {
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


@pytest.mark.parametrize("name", CORRECT)
def test_no_more_than_that(tmp_path: Path, name: str) -> None:
    result = explored(tmp_path, _source(CORRECT[name]), strategy="mcr")
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert os.listdir(tmp_path / "temporary") == []
