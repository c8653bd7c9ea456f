"""`--races`: races of places, reported once per pair of lines, with a schedule that shows them; and accesses that do
not race."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

_PROGRAMS = Path(__file__).resolve().parents[2] / "benchmarks" / "programs"

_PROGRAM = """\
import threading


class Box:
    def __init__(self):
        self.value = 0
        self.safe = 0
        self.data = {"k": 1, "other": 1}
        self.log = []
        self.flag = False
        self.lock = threading.Lock()


def main():
    box = Box()

    def one():
        box.value += 1
        with box.lock:
            box.safe += 1
        box.data["k"] = 2
        box.log.append(1)
        box.flag = True

    def two():
        with box.lock:
            box.safe += 1
        box.value = 7
        box.data["other"] = 2
        box.log.append(2)
        if box.flag:
            print(box.data["k"])

    threads = [threading.Thread(target=each) for each in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
"""

#: The flag, and the value (read and written in one line, written in the other). The items are not the same, or ordered.
_EXPECTED = {"attribute flag", "attribute value"}


def _places(report):
    return {failure["message"].partition(":")[0].removeprefix("data race on ") for failure in report["failures"]}


@pytest.mark.sampled
@pytest.mark.parametrize("options", [(), ("--strategy", "se-mcr"), ("--strategy", "pos"), ("--isolation", "fork")])
def test_places_that_race_are_told_once(shell, options):
    report = shell.check(_PROGRAM, "--races", "--max-executions", "60", *options, status=1)
    assert [failure["kind"] for failure in report["failures"]] == ["race", "race"]
    assert _places(report) == _EXPECTED
    assert all(failure["replayed"] and failure["witness"]["checked"] for failure in report["failures"])


def test_processes_tell_the_same(shell):
    assert _places(shell.check(_PROGRAM, "--races", "--jobs", "2", status=1)) == _EXPECTED


def test_nobody_is_told_who_does_not_ask(shell):
    assert shell.check(_PROGRAM, status=0)["verdict"] == "verified"


def test_what_is_locked_does_not_race(shell):
    source = _PROGRAM.replace("box.flag = True", "with box.lock:\n            box.flag = True")
    source = source.replace("if box.flag:", "with box.lock:\n            flag = box.flag\n        if flag:")
    report = shell.check(source, "--races", status=1)
    assert _places(report) == {"attribute value"}


def test_a_race_does_not_hide_a_failure(shell):
    source = _PROGRAM.replace("thread.join()\n", "thread.join()\n    assert box.value != 1\n")
    report = shell.check(source, "--races", status=1)
    assert [failure["kind"] for failure in report["failures"]] == ["assertion", "race", "race"]


def test_a_race_is_replayed_from_its_schedule(shell):
    report = shell.check(_PROGRAM, "--races", status=1)
    for failure in report["failures"]:
        replayed = shell.run("replay", failure["schedule"], status=1).stdout
        assert "reproduced: data race on" in replayed


def test_a_saved_race_is_only_tried_again_for_who_asks(shell):
    shell.check(_PROGRAM, "--races", status=1)
    assert shell.check(_PROGRAM, status=0)["verdict"] == "verified"
    assert _places(shell.check(_PROGRAM, "--races", status=1)) == _EXPECTED


def test_races_want_stores_to_arrive_at_once(shell):
    shell.write("prog.py", _PROGRAM)
    assert "races" in shell.run("check", "prog.py", "--races", "--memory-model", "tso", status=2).stderr


def test_sarif_has_a_rule_for_races(shell):
    shell.write("prog.py", _PROGRAM)
    log = json.loads(shell.run("check", "prog.py", "--races", "--format", "sarif", status=1).stdout)
    assert {result["ruleId"] for result in log["runs"][0]["results"]} == {"race"}


@pytest.mark.parametrize("name", ["lamport", "nh_lamport"])
def test_races_hold_in_whichever_points_were_known_when_they_showed(shell, name):
    """In these, orders that are run to confirm, to shorten and to turn round a race teach the program new points."""
    source = (_PROGRAMS / f"{name}.py").read_text()
    report = shell.check(source, "--races", status=1)
    assert not report["inconsistencies"]
    assert all(failure["kind"] == "race" and failure["replayed"] for failure in report["failures"])
