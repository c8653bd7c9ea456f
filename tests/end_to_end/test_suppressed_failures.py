"""Failures that are known are kept back, counted and named; they neither end a search nor make a proof."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

#: Two threads, either of which may fail, in lines 9 and 14.
_SOURCE = """\
    import threading

    class Box:
        full = empty = None

    def fill():
        Box.full = 1
        if Box.empty is not None:
            raise KeyError("both"){fill}

    def drain():
        Box.empty = 1
        if Box.full is not None:
            raise ValueError("both"){drain}

    def main():
        threads = [threading.Thread(target=each) for each in (fill, drain)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    main()
    """

_RACE = """\
    import threading

    class Box:
        number = 0

    def work():
        Box.number += 1{comment}

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """


def _source(fill: str = "", drain: str = "") -> str:
    return _SOURCE.format(fill=fill, drain=drain)


def test_the_search_goes_on_past_what_is_kept_back(shell: Shell) -> None:
    report = shell.check(_source("  # mazurka: ignore[exception] known"), status=1)
    assert [each["exception"] for each in report["failures"]] == ["ValueError"]
    report = shell.check(_source(drain="  # mazurka: ignore"), status=1)
    assert [each["exception"] for each in report["failures"]] == ["KeyError"]


@pytest.mark.parametrize("strategy", ["mcr", "dpor", "se-mcr"])
def test_what_is_kept_back_makes_no_proof(shell: Shell, strategy: str) -> None:
    comment = "  # mazurka: ignore[exception, race] known"
    report = shell.check(_source(comment, comment), "--strategy", strategy, status=0)
    assert report["verdict"] == "inconclusive"
    assert report["complete"]
    assert report["reason"].startswith("2 failures are suppressed; otherwise all ")
    assert {each["by"] for each in report["suppressed"]} == {
        "comment at program.py:9: known",
        "comment at program.py:14: known",
    }
    text = shell.run("check", "program.py", status=0).stdout
    assert "suppressed: KeyError: 'both', program.py:9 (comment at program.py:9: known)" in text
    assert "verified" not in text
    shell.run("check", "program.py", "--require-complete", status=3)
    sarif = json.loads(shell.run("check", "program.py", "--format", "sarif", status=0).stdout)
    assert [each["suppressions"][0]["kind"] for each in sarif["runs"][0]["results"]] == ["inSource", "inSource"]


def test_a_failure_that_was_saved_and_is_then_suppressed(shell: Shell) -> None:
    """It is tried first, and is then no reason to end there."""
    first = shell.check(_source(), status=1)["failures"][0]["exception"]
    comment = "  # mazurka: ignore"
    report = shell.check(_source(comment, "") if first == "KeyError" else _source("", comment), status=1)
    assert [each["exception"] for each in report["failures"]] == [{"KeyError", "ValueError"}.difference([first]).pop()]


def test_comments_that_are_of_no_use_are_named(shell: Shell) -> None:
    source = _RACE.format(comment="  # mazurka: ignore[deadlock]").replace(
        "number = 0", "number = 0  # mazurka: ignore[raec]"
    )
    source = source.replace("import threading", "import threading; TEXT = '# mazurka: ignore'")
    report = shell.check(source, status=0)
    assert report["unused_suppressions"] == ["the comment at program.py:7"]
    assert any("did you mean race?" in note for note in report["notes"])
    report = shell.check(_RACE.format(comment="  # mazurka: ignore[race]"), status=0)
    assert report["unused_suppressions"] == []  # races were not looked for
    assert report["verdict"] == "verified"


def test_races(shell: Shell) -> None:
    report = shell.check(_RACE.format(comment=""), "--races", status=1)
    assert {each["kind"] for each in report["failures"]} == {"race"}
    report = shell.check(_RACE.format(comment="  # mazurka: ignore[race] counts"), "--races", status=0)
    assert report["verdict"] == "inconclusive"
    assert report["suppressed"]
    rule = ["--ignore", "race: variable *number"]
    report = shell.check(_RACE.format(comment=""), "--races", *rule, status=0)
    assert report["suppressed"][0]["by"] == "rule 'race: variable *number'"
    report = shell.check(_RACE.format(comment=""), *rule, status=0)
    assert report["unused_suppressions"] == ["the rule 'race: variable *number'"]


def test_rules_in_the_project_file(shell: Shell) -> None:
    shell.write("pyproject.toml", "[tool.mazurka]\nignore = ['exception: location program.py:*']\n")
    assert len(shell.check(_source(), status=0)["suppressed"]) == 2
    shell.write("pyproject.toml", "[tool.mazurka]\nignore = ['exeption: location program.py:*']\n")
    assert "this is no rule" in shell.run("check", "program.py", status=2).stderr


def test_a_baseline(shell: Shell) -> None:
    baseline = ["--baseline", "known.json"]
    shell.write("program.py", _source())
    assert "--write-baseline" in shell.run("check", "program.py", *baseline, status=2).stderr
    assert "--baseline" in shell.run("check", "program.py", "--write-baseline", status=2).stderr
    shell.run("check", "program.py", *baseline, "--write-baseline", status=0)
    report = shell.check(_source().replace("import threading", "import threading\n\n"), *baseline, status=0)
    assert [each["by"] for each in report["suppressed"]] == ["baseline known.json"] * 2
    assert report["verdict"] == "inconclusive"
    report = shell.check(_source().replace("KeyError", "IndexError"), *baseline, status=1)
    assert [each["exception"] for each in report["failures"]] == ["IndexError"]
    report = shell.check(_RACE.format(comment=""), *baseline, status=0)
    assert sum("in the baseline" in each for each in report["unused_suppressions"]) == 2
    shell.run("check", "program.py", *baseline, "--write-baseline", status=0)
    assert json.loads((shell.folder / "known.json").read_text())["failures"] == []
    (shell.folder / "known.json").write_text("[]")
    assert "no baseline" in shell.run("check", "program.py", *baseline, status=2).stderr


def test_pytest(shell: Shell) -> None:
    comment = "  # mazurka: ignore[exception] known"
    shell.write(
        "test_program.py", _source(comment, comment).replace("def main", "def test_main").replace("\n    main()", "")
    )
    done = shell.pytest("--mazurka", status=0)
    assert "explored 1 test: 1 inconclusive" in done.stdout
    assert "2 failures are suppressed" in done.stdout
    shell.write("test_program.py", _source().replace("def main", "def test_main").replace("\n    main()", ""))
    shell.pytest("--mazurka", status=1)
    shell.pytest("--mazurka", "--mazurka-baseline", "known.json", "--mazurka-write-baseline", status=0)
    done = shell.pytest("--mazurka", "--mazurka-baseline", "known.json", status=0)
    assert "2 failures are suppressed" in done.stdout
