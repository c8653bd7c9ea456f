"""A check of several targets: programs, folders and tests, in one report, whose status is that of the worst."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

import jsonschema
import pytest

from mazurka.report.render_json import SCHEMA_PATH

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_PROGRAM = """
    import threading
    {lock}
    class Box:
        number = 0

    def work():
        {with_lock}Box.number += 1

    def main():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Box.number == 2, Box.number

    if __name__ == "__main__":
        main()
    """

_TESTS = """
    import threading

    import pytest

    class Box:
        def __init__(self):
            self.number = 0

    @pytest.fixture
    def box():
        return Box()

    def run(box):
        def work():
            box.number += 1
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_fixture(box):
        run(box)
        assert box.number == 2

    def test_plain():
        box = Box()
        run(box)
        assert box.number

    class TestBox:
        @pytest.mark.parametrize("least", [0, 1])
        def test_least(self, box, least):
            run(box)
            assert box.number >= least

        def test_alone(self):
            assert Box().number == 0
    """


@pytest.fixture
def project(shell: Shell) -> Shell:
    shell.write("broken.py", _PROGRAM.format(lock="", with_lock=""))
    shell.write(
        "sound.py", _PROGRAM.format(lock="lock = threading.Lock()", with_lock="\n        with lock:\n            ")
    )
    shell.write("tests/test_box.py", _TESTS)
    (shell.folder / "empty").mkdir()
    return shell


def results(shell: Shell, *targets: str, status: int) -> dict[str, str]:
    """The result of each target, as the table has it."""
    out = shell.run("check", *targets, "--no-progress", status=status).stdout
    rows = out[out.index("\ntarget ") :].splitlines()[2:]
    cells = [re.fullmatch(r"(.*?) {2,}(.+?) +[\d,]+ +[\d.]+ s", row) for row in rows[: rows.index("")]]
    return {row[1]: row[2] for row in cells if row is not None}


def test_programs_have_a_table_and_the_worst_status(project: Shell) -> None:
    out = project.run("check", "sound.py", "broken.py", status=1).stdout
    assert "verified: no order of the threads fails\nsound.py:" in out
    assert "violation: AssertionError: 1\n  broken.py:" in out
    assert out.splitlines()[-1] == "2 targets: 1 violation, 1 verified; 1 failure"
    assert project.run("check", "sound.py", "sound.py::main", status=0).stdout.endswith("2 targets: 2 verified\n")


def test_the_same_program_twice_is_one(project: Shell) -> None:
    (project.folder / "link.py").symlink_to("broken.py")
    out = project.run("check", "broken.py", "./broken.py", "link.py", status=1).stdout
    assert out.splitlines()[-1] == "1 target: 1 violation; 1 failure"


def test_a_folder_and_tests_of_it_overlap(project: Shell) -> None:
    file = "tests/test_box.py"
    found = results(
        project, "tests", file, f"{file}::test_plain", f"{file}::TestBox", f"{file}::test_fixture", status=1
    )
    assert found == {
        f"{file}::test_plain": "verified",
        f"{file}::test_fixture": "violation",
        f"{file}::TestBox::test_least[0]": "verified",
        f"{file}::TestBox::test_least[1]": "verified",
        f"{file}::TestBox::test_alone": "no threads",
    }


def test_ids_of_tests(project: Shell) -> None:
    file = "tests/test_box.py"
    assert results(project, f"{file}::TestBox::test_least[1]", status=0) == {
        f"{file}::TestBox::test_least[1]": "verified"
    }
    assert results(project, f"{file}::TestBox::test_alone", status=5) == {f"{file}::TestBox::test_alone": "no threads"}
    assert "test_nothing" in project.run("check", f"{file}::TestBox::test_nothing", status=2).stderr


def test_a_folder_without_tests(project: Shell) -> None:
    assert "mazurka: error: empty: there are no tests" in project.run("check", "empty", status=2).stderr
    found = results(project, "sound.py", "tests/test_box.py::TestBox", "empty", status=2)
    assert found["empty"] == "error"
    assert found["sound.py"] == "verified"


def test_tests_that_can_not_be_run_are_errors(project: Shell) -> None:
    project.write("tests/test_damaged.py", "def test_never(:\n")
    project.write("tests/test_other.py", "def test_fails():\n    assert 1 == 2\ndef test_odd(nothing): pass\n")
    found = results(project, "tests/test_other.py", "sound.py", status=2)
    assert found == {
        "sound.py": "verified",
        "tests/test_other.py::test_fails": "error",
        "tests/test_other.py::test_odd": "error",
    }
    out = project.run("check", "tests", "sound.py", status=2).stdout
    assert "can't be collected" in out
    quiet = project.run("check", "tests/test_other.py", "--quiet", status=2)
    assert not quiet.stdout
    assert "fails without being explored: assert 1 == 2" in quiet.stderr


def test_a_program_that_can_not_be_imported_does_not_stop_the_others(project: Shell) -> None:
    project.write("bad.py", "import nothing_of_this_name\n")
    found = results(project, "bad.py::main", "sound.py", "broken.py", status=2)
    assert found == {"bad.py::main": "error", "sound.py": "verified", "broken.py": "violation"}


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (("nothing.py", "sound.py"), "nothing.py: there is no such file"),
        (("sound.py", "tests/nothing.py::test_x"), "tests/nothing.py: there is no such file"),
        (("sound.py", "soudn.py"), "did you mean sound.py?"),
        (("tests::test_x",), "this is a directory"),
        (("sound.py", "broken.py", "--", "argument"), "arguments after -- are for one program, not for 2 targets"),
        ((), "no target was named"),
    ],
)
def test_wrong_targets(project: Shell, targets: tuple[str, ...], words: str) -> None:
    assert words in project.run("check", *targets, status=2).stderr


def test_targets_of_the_settings(project: Shell) -> None:
    project.write("pyproject.toml", '[tool.mazurka]\ntargets = ["sound.py", "tests/test_box.py::TestBox"]\n')
    assert results(project, status=0).keys() >= {"sound.py", "tests/test_box.py::TestBox::test_alone"}
    assert project.run("check", "broken.py", status=1).stdout.startswith("violation")


def test_settings_hold_for_tests(project: Shell) -> None:
    project.write("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-n 2 -v'\n")
    out = project.run("check", "tests", "--max-executions", "1", "--require-complete", "--no-save", status=3).stdout
    assert "tests/test_box.py::test_plain: 1 execution in" in out
    assert not (project.folder / ".mazurka").exists()


def test_reports_of_several_targets(project: Shell) -> None:
    names = ("all.json", "all.xml", "all.sarif", "github:all.txt", "text:text.txt")
    outputs = [each for name in names for each in ("--output", name)]
    printed = project.run("check", "sound.py", "broken.py", "tests", *outputs, status=1).stdout
    data = json.loads((project.folder / "all.json").read_text())
    jsonschema.Draft202012Validator(json.loads(SCHEMA_PATH.read_text())).validate(data)
    assert data["verdict"] == "violation"
    assert [(each["target"], each["verdict"], each["failures"]) for each in data["targets"]][:2] == [
        ("sound.py", "verified", 0),
        ("broken.py", "violation", 1),
    ]
    assert [each["target"] for each in data["failures"]] == ["broken.py", "tests/test_box.py::test_fixture"]
    suites = Xml.fromstring((project.folder / "all.xml").read_text())
    assert sorted(suite.get("failures", "") for suite in suites) == ["0"] * 5 + ["1"] * 2
    (run,) = json.loads((project.folder / "all.sarif").read_text())["runs"]
    assert len(run["results"]) == 2
    assert (project.folder / "all.txt").read_text().count("::error ") == 2
    assert (project.folder / "text.txt").read_text() == printed


def test_one_baseline_for_several_targets(project: Shell) -> None:
    targets = ("broken.py", "tests", "--baseline", "known.json")
    project.run("check", *targets, "--write-baseline", status=0)
    known = json.loads((project.folder / "known.json").read_text())["failures"]
    assert {each["target"] for each in known} == {"broken.py", "tests/test_box.py::test_fixture"}
    # Failures are known by the text of their lines: elsewhere in the file, and in a file of another folder.
    moved = (project.folder / "broken.py").read_text()
    project.write("broken.py", "# a comment\n\n" + moved)
    project.write("deep/broken.py", moved)
    assert project.run("check", *targets, "deep/broken.py", status=0).stdout.endswith(
        "7 targets: 3 inconclusive, 3 verified, 1 without threads\n"
    )
    (project.folder / "known.json").write_text('{"version": 99, "failures": []}')
    failed = project.run("check", *targets, status=2)
    assert "this is no baseline of this version; write it again with --write-baseline" in failed.stdout
