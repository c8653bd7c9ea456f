"""The changes of an execution to files are put back, whichever process dies meanwhile and whatever fails."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from mazurka.program.python.outside import journal as journals
from mazurka.program.python.outside.journal import Journal, NotKept

#: Path below a folder -> kind, permissions, time of change, and content.
State = dict[str, tuple[str, int, int, object]]


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ground"
    folder.mkdir()
    (folder / "text").write_text("before")
    (folder / "empty").write_text("")
    (folder / "closed").write_text("read only")
    (folder / "closed").chmod(0o400)
    (folder / "folder").mkdir(mode=0o750)
    (folder / "folder" / "inner").write_text("inside")
    (folder / "vacant").mkdir()
    (folder / "link").symlink_to("text")
    (folder / "loose").symlink_to("nowhere")
    os.link(folder / "text", folder / "other-name")
    for path in (*folder.rglob("*"), folder):
        os.utime(path, ns=(10**18, 10**18), follow_symlinks=False)
    return folder


@pytest.fixture
def journal(ground: Path) -> Iterator[Journal]:
    made = Journal()
    made.hold()
    yield made
    made.put_back()
    made.close()


def state_of(folder: Path) -> State:
    found: State = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            what: tuple[str, int, int, object] = "link", 0, 0, os.readlink(path)
        elif stat.S_ISDIR(status.st_mode):
            what = "folder", stat.S_IMODE(status.st_mode), status.st_mtime_ns, None
        else:
            what = "file", stat.S_IMODE(status.st_mode), status.st_mtime_ns, path.read_bytes()
        found[str(path.relative_to(folder))] = what
    return found


def write(journal: Journal, path: Path, text: str) -> None:
    journal.writing(str(path), path.stat())
    path.chmod(path.stat().st_mode | stat.S_IWUSR)
    path.write_text(text)
    journal.wrote(path.stat())


def create(journal: Journal, path: Path, text: str) -> None:
    journal.creating(str(path))
    path.write_text(text)
    journal.created(str(path))


def remove(journal: Journal, path: Path) -> None:
    journal.removing(str(path))
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def rename(journal: Journal, path: Path, to: Path) -> None:
    if os.path.lexists(to):
        journal.removing(str(to))
    journal.renaming(str(path), str(to))
    path.rename(to)


def change_much(journal: Journal, ground: Path) -> None:
    """One of everything, and some things several times."""
    write(journal, ground / "text", "after, and longer")
    write(journal, ground / "text", "again")
    remove(journal, ground / "closed")
    create(journal, ground / "closed", "another")
    remove(journal, ground / "closed")
    create(journal, ground / "closed", "a third")
    rename(journal, ground / "empty", ground / "moved")
    create(journal, ground / "new", "new")
    rename(journal, ground / "new", ground / "moved")
    remove(journal, ground / "link")
    remove(journal, ground / "loose")
    remove(journal, ground / "vacant")
    journal.creating(str(ground / "made"))
    (ground / "made").mkdir()
    journal.created(str(ground / "made"))
    create(journal, ground / "made" / "file", "deep")
    rename(journal, ground / "folder", ground / "made" / "folder")
    write(journal, ground / "made" / "folder" / "inner", "changed")
    journal.describing(str(ground / "made" / "folder"), (ground / "made" / "folder").stat())
    (ground / "made" / "folder").chmod(0o700)


def test_everything_is_put_back(journal: Journal, ground: Path) -> None:
    before = state_of(ground)
    change_much(journal, ground)
    assert state_of(ground) != before
    journal.put_back()
    assert state_of(ground) == before
    assert journal.troubles == []
    assert sorted(os.listdir(journal._folder)) == ["lock", "log"]
    journal.close()
    assert os.listdir(os.path.dirname(journal._folder)) == []


def test_a_file_in_a_folder_of_the_execution_is_the_executions(journal: Journal, ground: Path) -> None:
    """Though code in C made it, which does not say so."""
    before = state_of(ground)
    folder, file = ground / "made", ground / "made" / "database"
    journal.creating(str(folder))
    folder.mkdir()
    journal.created(str(folder))
    file.write_text("made in C")
    write(journal, file, "changed")
    for path in (file, folder):
        remove(journal, path)
    journal.put_back()
    assert state_of(ground) == before
    assert journal.troubles == []


def test_names_of_one_file_stay_names_of_one_file(journal: Journal, ground: Path) -> None:
    write(journal, ground / "text", "after")
    remove(journal, ground / "other-name")
    journal.put_back()
    assert os.path.samefile(ground / "text", ground / "other-name")
    assert (ground / "other-name").read_text() == "before"


def test_a_file_written_after_its_last_name_went_is_as_before(journal: Journal, ground: Path) -> None:
    path = ground / "empty"
    with path.open("r+") as stream:
        remove(journal, path)
        journal.writing(str(path), os.fstat(stream.fileno()))
        stream.write("late")
        stream.flush()
        journal.wrote(os.fstat(stream.fileno()))
    journal.put_back()
    assert path.read_text() == ""


def test_a_file_written_after_it_was_renamed_is_as_before(journal: Journal, ground: Path) -> None:
    path = ground / "empty"
    with path.open("r+") as stream:
        rename(journal, path, ground / "moved")
        journal.writing(str(path), os.fstat(stream.fileno()))
        stream.write("late")
        stream.flush()
        journal.wrote(os.fstat(stream.fileno()))
    journal.put_back()
    assert path.read_text() == ""
    assert not (ground / "moved").exists()


def test_a_file_that_has_got_longer_is_cut_without_a_copy(journal: Journal, ground: Path) -> None:
    before = state_of(ground)
    path = ground / "text"
    journal.appending(str(path), path.stat())
    with path.open("a") as stream:
        stream.write(" and after")
    journal.wrote(path.stat())
    assert sorted(os.listdir(journal._folder)) == ["lock", "log"]
    journal.put_back()
    assert state_of(ground) == before


# -- whoever else is there ----------------------------------------------------------------------------


def test_what_somebody_else_wrote_stays(journal: Journal, ground: Path) -> None:
    path = ground / "empty"
    write(journal, path, "the program's")
    path.write_text("somebody else's")
    journal.put_back()
    assert path.read_text() == "somebody else's"
    [trouble] = journal.troubles
    kept = Path(trouble.rpartition(" ")[2])
    assert "another program has changed it" in trouble
    assert kept.read_text() == ""


def test_what_somebody_else_put_in_the_place_of_a_file_stays(journal: Journal, ground: Path) -> None:
    remove(journal, ground / "closed")
    (ground / "closed").write_text("somebody else's")
    create(journal, ground / "new", "the program's")
    (ground / "new").unlink()
    os.mkfifo(ground / "new")  # so that it gets another number
    (ground / "third").write_text("in between")
    journal.put_back()
    assert (ground / "closed").read_text() == "somebody else's"
    assert len(journal.troubles) >= 1
    assert Path(journal.troubles[-1].rpartition(" ")[2]).read_text() == "read only"


def test_what_somebody_else_put_into_a_new_folder_stays(journal: Journal, ground: Path) -> None:
    journal.creating(str(ground / "made"))
    (ground / "made").mkdir()
    journal.created(str(ground / "made"))
    (ground / "made" / "theirs").write_text("theirs")
    journal.put_back()
    assert (ground / "made" / "theirs").read_text() == "theirs"
    assert "left there" in journal.troubles[0]


# -- data that can't be kept ----------------------------------------------------------------------------


def test_special_files_are_not_kept(journal: Journal, ground: Path) -> None:
    os.mkfifo(ground / "pipe")
    with pytest.raises(NotKept, match="no plain file"):
        journal.removing(str(ground / "pipe"))


def test_large_files_are_not_kept(journal: Journal, ground: Path) -> None:
    os.truncate(ground / "empty", journals.LARGEST + 1)
    with pytest.raises(NotKept, match="larger than"):
        journal.writing(str(ground / "empty"), (ground / "empty").stat())


def test_a_full_disk_is_told_before_anything_is_lost(journal: Journal, ground: Path) -> None:
    (ground / "text").write_text("x" * 100_000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))  # as a disk that is full: writes fail in the midst
    try:
        with pytest.raises(NotKept, match="no copy can be kept"):
            journal.writing(str(ground / "text"), (ground / "text").stat())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    journal.put_back()
    assert (ground / "text").read_text() == "x" * 100_000


def test_without_a_place_for_the_journal_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    made = Journal()
    made._folders = (str(tmp_path / "file" / "journals" / "x"),)
    with pytest.raises(NotKept, match="no journal can be kept"):
        made.hold()


# -- kill -9 ----------------------------------------------------------------------------

_VICTIM = """
    import os, signal, sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    from test_outside_journal import change_much
    from mazurka.program.python.outside.journal import Journal

    class Doomed(Journal):
        left = int(sys.argv[3])

        def _undo_one(self, *args):
            Doomed.left -= 1
            if not Doomed.left:
                os.kill(os.getpid(), signal.SIGKILL)
            super()._undo_one(*args)

    journal = Doomed()
    journal.hold()
    change_much(journal, Path(sys.argv[2]))
    if int(sys.argv[3]):
        journal.put_back()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("undone", [0, 1, 2, 5, 9, 14, 20, 25])
def test_the_next_process_finishes_what_a_killed_one_has_left(ground: Path, undone: int) -> None:
    before = state_of(ground)
    command = [sys.executable, "-c", dedent(_VICTIM), str(Path(__file__).parent), str(ground), str(undone)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert state_of(ground) != before or undone >= 25
    made = Journal()
    made.find("that of another program")
    made.recover_others()
    made.close()
    assert state_of(ground) == before
    assert made.troubles == []


def test_what_was_changed_after_the_death_stays(ground: Path) -> None:
    command = [sys.executable, "-c", dedent(_VICTIM), str(Path(__file__).parent), str(ground), "0"]
    subprocess.run(command, check=False)
    later = os.stat(ground / "text").st_mtime_ns + 10**10
    (ground / "text").write_text("by hand")
    os.utime(ground / "text", ns=(later, later))
    made = Journal()
    made.recover()
    made.close()
    assert (ground / "text").read_text() == "by hand"
    assert Path(made.troubles[0].rpartition(" ")[2]).read_text() == "before"


def test_a_line_that_was_not_written_whole_has_not_happened(ground: Path, journal: Journal) -> None:
    before = state_of(ground)
    write(journal, ground / "text", "after")
    journal._note({"do": "remove", "path": str(ground / "closed"), "times": None})
    log = Path(journal._folder, "log")
    os.truncate(log, log.stat().st_size - 10)
    journal.put_back()
    assert state_of(ground) == before


def test_one_process_at_a_time_has_the_journal(ground: Path, journal: Journal) -> None:
    other = Journal()
    create(journal, ground / "new", "new")
    other.recover()  # no process is dead
    other.close()
    assert (ground / "new").read_text() == "new"
