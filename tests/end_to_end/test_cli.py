"""The command line as its reference describes it: its output, the files that it saves, and its status."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from mazurka.explore.registry import STRATEGIES

LOST_UPDATE = """\
import threading


class Account:
    def __init__(self):
        self.balance = 100

    def deposit(self, amount):
        self.balance += amount


def main():
    account = Account()
    people = [threading.Thread(target=account.deposit, args=(50,)) for _ in range(2)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert account.balance == 200, f"200 expected, {account.balance} found"


if __name__ == "__main__":
    main()
"""

LOCKED = LOST_UPDATE.replace("self.balance += amount", "with lock:\n            self.balance += amount").replace(
    "import threading\n", "import threading\n\nlock = threading.Lock()\n"
)

#: Far more interleavings than any limit below lets through.
LARGE = """\
import threading

cells = [0] * 3


def work():
    for i in range(12):
        cells[i % 3] += 1


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sum(cells) > 0
"""


def schedules(folder: Path) -> list[Path]:
    return sorted((folder / ".mazurka" / "failures").glob("*.json"))


# -- around -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--version"], ["z3", "numba", "rich", "numpy", "greenlet", "click", "sqlite3"]),
        (["check", "bank.py"], ["z3", "numba", "rich", "numpy", "pyarrow", "multiprocessing"]),
    ],
)
def test_nobody_waits_for_what_is_not_needed(shell, arguments, heavy):
    shell.write("bank.py", LOST_UPDATE)
    code = (
        "import sys, mazurka.cli\n"
        f"try: mazurka.cli.main({arguments!r})\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    variables = shell.variables() | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=shell.folder, env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_little_is_imported_before_python_is_started_again(shell):
    """With hashes that are random, the first process of a check only starts another one."""
    code = (
        "import os, sys, mazurka.cli\n"
        "os.execve = lambda *again: print(again[2]['PYTHONHASHSEED'], 'greenlet' in sys.modules)\n"
        "try: mazurka.cli.main(['check', '--help'])\n"
        "except SystemExit: pass\n"
    )
    variables = {name: value for name, value in shell.variables().items() if name != "PYTHONHASHSEED"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=shell.folder, env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "0 False"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(shell, closed):
    for source, status in ((LOCKED, 0), (LOST_UPDATE, 1)):
        shell.write("program.py", source)
        command = ["sh", "-c", f"{sys.executable} -m mazurka check program.py {closed}"]
        done = subprocess.run(command, cwd=shell.folder, env=shell.variables(), stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == status
    assert schedules(shell.folder)


@pytest.mark.parametrize("verb", ["check", "replay", "list", "clean", "version"])
def test_every_verb_has_help(shell, verb):
    assert "Usage: mazurka " + verb in shell.run(verb, "--help", status=0).stdout


def test_unknown_verb_and_option(shell):
    assert "chek" in shell.run("chek", status=2).stderr
    shell.write("program.py", LOCKED)
    assert "--statregy" in shell.run("check", "program.py", "--statregy", "dfs", status=2).stderr


# -- verdicts and statuses --------------------------------------------------------------------------------------------


def test_found(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", status=1)
    assert "200 expected, 150 found" in done.stdout
    assert "self.balance += amount" in done.stdout
    assert f"mazurka replay {schedules(shell.folder)[0].relative_to(shell.folder)}" in done.stdout
    assert done.stderr == ""


def test_nothing_found(shell):
    shell.write("program.py", LOCKED)
    done = shell.run("check", "program.py", "--require-complete", status=0)
    assert "verified" in done.stdout
    assert not schedules(shell.folder)


def test_one_function_of_a_file(shell):
    shell.write("program.py", LOST_UPDATE)
    assert "150 found" in shell.run("check", "program.py::main", status=1).stdout


def test_inconclusive(shell):
    report = shell.check(LARGE, "--max-executions", "20", status=0)
    assert report["verdict"] == "inconclusive"
    assert "20 executions" in report["reason"]
    assert not report["complete"]
    assert report["executions"] == 20


def test_inconclusive_is_an_error_where_completeness_is_required(shell):
    shell.check(LARGE, "--max-executions", "20", "--require-complete", status=3)


def test_every_order_up_to_a_bound_is_enough_where_that_is_required(shell):
    report = shell.check(LARGE, "--strategy", "icb-dpor", "--require", "preemptions=0", status=0)
    assert report["verdict"] == "inconclusive"
    assert report["coverage"]["preemptions"] == 0
    assert 0 < report["coverage"]["orders"] <= report["executions"]
    assert "as required" in report["reason"]
    shell.check(LARGE, "--strategy", "icb-dpor", "--require", "preemptions=1", "--max-executions", "30", status=3)
    shell.check(LARGE, "--strategy", "mcr", "--max-executions", "20", "--require", "preemptions=0", status=3)
    shell.check(LOCKED, "--require", "preemptions=3", status=0)  # verified: every order
    shell.check(LOST_UPDATE, "--require", "preemptions=0", status=1)


def test_advice(shell):
    shell.write("program.py", LARGE)
    done = shell.run("check", "program.py", "--strategy", "icb-dpor", "--max-executions", "30", "--fresh")
    assert "covered for certain: every order without preemptions" in done.stdout
    text = " ".join(done.stdout.split())
    assert "go on to 1 preemption: mazurka check program.py --strategy icb-dpor --require preemptions=1" in text
    assert "--max-executions 120" in text
    assert re.search(
        r"advice: \d+ % of the orders differ only in which thread \w+ the data first at program.py:8", text
    )


def test_time_limit(shell):
    report = shell.check(LARGE, "--time-limit", "1", status=0)
    assert report["verdict"] == "inconclusive"
    assert "1 s" in report["reason"] or "second" in report["reason"]


def test_invariant(shell):
    source = LOST_UPDATE.replace('    assert account.balance == 200, f"200 expected, {account.balance} found"\n', "")
    source = source.replace("    account = Account()", "    global account\n    account = Account()")
    report = shell.check(source, "--invariant", "account.balance == 200", status=1)
    assert report["failures"][0]["kind"] == "invariant"
    assert "account.balance == 200" in report["failures"][0]["message"]


def test_all_failures_of_one_run_are_told(shell):
    """What fails first hides nothing that fails later in the same run, and in no run before."""
    source = """\
        import threading


        def one():
            raise KeyError("one")


        thread = threading.Thread(target=one)
        thread.start()
        thread.join()
        assert False
        """
    report = shell.check(source, "--all-failures", status=1)
    assert [failure["exception"] for failure in report["failures"]] == ["KeyError", "AssertionError"]
    report = shell.check(source, "--fresh", status=1)
    assert [failure["exception"] for failure in report["failures"]] == ["KeyError"]


def test_all_failures_are_distinct(shell):
    source = """\
        import threading

        seen = []


        def work(name):
            if not seen:
                seen.append(name)
                if len(seen) > 1:
                    raise ValueError("two were first")
            elif seen[0] == "b":
                raise KeyError("b was first")


        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """
    report = shell.check(source, "--all-failures", status=1)
    assert sorted(failure["exception"] for failure in report["failures"]) == ["KeyError", "ValueError"]
    assert len(schedules(shell.folder)) == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies(shell, strategy):
    report = shell.check(LOST_UPDATE, "--strategy", strategy, status=1)
    assert report["strategy"] == {"auto": "mcr"}.get(strategy, strategy)  # of the two, the one that is there at first
    assert report["memory_model"] == "sc"
    assert report["failures"][0]["kind"] == "assertion"


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_isolation(shell, isolation):
    source = "count = 0\n" + LOST_UPDATE.replace(
        "def main():", "def main():\n    global count\n    count += 1\n    assert count == 1"
    )
    report = shell.check(source, "--isolation", isolation, status=1)
    assert "150 found" in report["failures"][0]["message"]


def test_include(shell):
    """A package outside the project is only tracked when it is named."""
    package = shell.write("elsewhere/site-packages/counting.py", "n = 0\n\n\ndef count():\n    global n\n    n += 1\n")
    shell.environment["PYTHONPATH"] = os.pathsep.join([shell.variables()["PYTHONPATH"], str(package.parent)])
    source = LOST_UPDATE[: LOST_UPDATE.index("class")] + (
        "import counting\n\nthreads = [threading.Thread(target=counting.count) for _ in range(2)]\n"
        "for t in threads: t.start()\nfor t in threads: t.join()\nassert counting.n == 2\n"
    )
    assert not shell.check(source, "--fresh", status=0)["failures"]
    assert shell.check(source, "--fresh", "--include", "counting", status=1)["failures"][0]["kind"] == "assertion"


def test_arguments_reach_the_program(shell):
    shell.write("program.py", "import sys\nassert sys.argv[1:] == ['x', '--strategy', 'y'], sys.argv\n")
    shell.run("check", "program.py", "--", "x", "--strategy", "y", status=5)


def test_settings_from_the_project_file_and_the_environment(shell):
    shell.write("pyproject.toml", "[tool.mazurka]\nmax-executions = 7\n")
    assert shell.check(LARGE, status=0)["executions"] == 7
    shell.environment["MAZURKA_MAX_EXECUTIONS"] = "5"
    assert shell.check(LARGE, "--fresh", status=0)["executions"] == 5
    assert shell.check(LARGE, "--fresh", "--max-executions", "3", status=0)["executions"] == 3


# -- formats ----------------------------------------------------------------------------------------------------------


def test_formats(shell):
    shell.write("program.py", LOST_UPDATE)
    sarif = json.loads(shell.run("check", "program.py", "--format", "sarif", status=1).stdout)
    assert sarif["version"] == "2.1.0"
    assert len(sarif["runs"][0]["results"]) == 1
    junit = ElementTree.fromstring(shell.run("check", "program.py", "--format", "junit", status=1).stdout)
    assert junit.find(".//failure") is not None
    assert "::error file=program.py,line=" in shell.run("check", "program.py", "--format", "github", status=1).stdout


def test_output_file(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", "--format", "json", "--output", "report", status=1)
    assert done.stdout.startswith("violation: ")
    assert json.loads((shell.folder / "report").read_text())["verdict"] == "violation"


def test_several_reports_of_one_check(shell):
    shell.write("program.py", LOST_UPDATE)
    outputs = ["--output", "report.sarif", "--output", "junit:report.txt", "--output", "github:-"]
    done = shell.run("check", "program.py", *outputs, status=1)
    assert done.stdout.startswith("violation: ")
    assert "::error file=program.py,line=" in done.stdout
    assert json.loads((shell.folder / "report.sarif").read_text())["version"] == "2.1.0"
    assert ElementTree.parse(shell.folder / "report.txt").find(".//failure") is not None


def test_quiet(shell):
    failure = shell.check(LOST_UPDATE, status=1)["failures"][0]
    for verb in ("check", "program.py"), ("replay", failure["schedule"]):
        assert shell.run(*verb, "-q", "--output", "report.json", status=1).stdout == ""
        assert json.loads((shell.folder / "report.json").read_text())["failures"]


def test_a_format_for_several_files_is_no_answer(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", "--format", "sarif", "--output", "a", "--output", "b.xml", status=2)
    assert "say which: --output sarif:a" in done.stderr


def test_progress_goes_to_standard_error_when_asked_for(shell):
    shell.write("program.py", LARGE)
    done = shell.run("check", "program.py", "--progress", "--time-limit", "3", "--format", "json", status=0)
    assert "executions" in done.stderr
    assert "/s" in done.stderr
    json.loads(done.stdout)


def test_progress_says_when_the_time_goes_into_deciding(shell):
    locked = LARGE.replace("cells[i % 3] += 1", "with lock: cells[i % 3] = 2 * cells[i % 3] + 1").replace(
        "range(12)", "range(60)"
    )
    shell.write("program.py", locked.replace("cells =", "lock = threading.Lock(); cells ="))
    done = shell.run("check", "program.py", "--strategy", "mcr", "--progress", "--time-limit", "8", status=0)
    assert "deciding, 0 found" in done.stderr


def test_progress_goes_on_while_an_execution_does_not_end(shell):
    shell.write("program.py", "import threading; sum(range(10**11))\n")
    done = shell.run("check", "program.py", "--progress", "--time-limit", "5", status=0)
    assert done.stderr.count("0 executions, 0/s, 0 found") >= 2


# -- replay -----------------------------------------------------------------------------------------------------------


def test_replay_from_file_and_token(shell):
    failure = shell.check(LOST_UPDATE, status=1)["failures"][0]
    for given in (failure["schedule"], failure["token"]):
        done = shell.run("replay", given, status=1)
        assert "reproduced" in done.stdout
        assert "200 expected, 150 found" in done.stdout


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_replay_of_a_failure_whose_own_run_met_new_shared_places(shell, isolation):
    """The failing run is the first to share `n`; its schedule must hold where that is known from the start."""
    source = """\
        import threading

        class State:
            started = False
            n = 0

        state = State()
        state.started = False
        state.n = 0

        def late():
            if state.started:
                state.n += 1
                raise ValueError(state.n)

        def early():
            state.n += 1
            state.started = True
            state.n += 1

        threads = [threading.Thread(target=work) for work in (late, early)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """
    report = shell.check(source, "--isolation", isolation, "--all-failures", status=1)
    (failure,) = report["failures"]
    for given in (failure["schedule"], failure["token"]):
        done = shell.run("replay", given, "--times", "3", status=1)
        assert "reproduced, 3 of 3 times: ValueError" in done.stdout


def test_replay_of_several(shell):
    """As the tutorial has it: all that are saved."""
    first = shell.check(LOST_UPDATE, status=1)["failures"][0]["schedule"]
    shell.write("other.py", LOST_UPDATE.replace("200", "100 + 2 * 50"))
    shell.run("check", "other.py", status=1)
    saved = [str(path.relative_to(shell.folder)) for path in schedules(shell.folder)]
    assert len(saved) == 2
    done = shell.run("replay", *saved, status=1)
    assert done.stdout.count("reproduced: ") == 2
    assert done.stdout.endswith("2 of 2 failures happened again\n")
    shell.write("program.py", LOCKED)
    done = shell.run("replay", first, "nothing.json", status=2)
    assert "nothing.json" in done.stderr
    assert "one schedule" in shell.run("replay", *saved, "--format", "json", status=2).stderr


def test_replay_many_times(shell):
    failure = shell.check(LOST_UPDATE, status=1)["failures"][0]
    done = shell.run("replay", failure["schedule"], "--times", "20", status=1)
    assert "20 of 20" in done.stdout


def test_replay_as_json(shell):
    failure = shell.check(LOST_UPDATE, status=1)["failures"][0]
    report = json.loads(shell.run("replay", failure["schedule"], "--format", "json", status=1).stdout)
    assert report["failures"][0]["message"] == failure["message"]


def test_replay_from_another_directory(shell):
    failure = shell.check(LOST_UPDATE, status=1)["failures"][0]
    (shell.folder / "sub").mkdir()
    command = shell.command("mazurka", "replay", os.path.join("..", failure["schedule"]))
    done = subprocess.run(
        command,
        cwd=shell.folder / "sub",
        env=shell.variables(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    assert "reproduced" in done.stdout


def test_replay_says_when_the_program_no_longer_fails(shell):
    """The steps are the same; only what is made of the values in the end has changed."""
    source = LOST_UPDATE.replace(
        "    assert account.balance == 200,", "    total = account.balance\n    assert total == 200,"
    )
    source = source.replace("{account.balance} found", "{total} found")
    failure = shell.check(source, status=1)["failures"][0]
    shell.write("program.py", source.replace("total == 200,", "total >= 100,"))
    done = shell.run("replay", failure["schedule"], status=0)
    assert "no longer" in done.stdout


def test_replay_in_the_debugger(shell):
    failure = shell.check(LOST_UPDATE, status=1)["failures"][0]
    done = subprocess.run(
        shell.command("mazurka", "replay", failure["schedule"], "--pdb"),
        cwd=shell.folder,
        env=shell.variables(),
        input="p 'the balance is', account.balance\nq\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "('the balance is', 150)" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_list_and_clean(shell):
    assert "no failures" in shell.run("list", status=0).stdout
    shell.check(LOST_UPDATE, status=1)
    listed = shell.run("list", status=0).stdout
    assert schedules(shell.folder)[0].name in listed
    assert "200 expected, 150 found" in listed
    assert ".mazurka" in shell.run("clean", status=0).stdout
    assert not (shell.folder / ".mazurka").exists()
    shell.run("clean", status=0)


def test_saved_failures_are_tried_first(shell):
    """The failing order comes late with `random`; the second check begins with it."""
    first = shell.check(LOST_UPDATE, "--strategy", "dfs", status=1)
    again = shell.check(LOST_UPDATE, "--strategy", "dfs", status=1)
    assert again["executions"] == 1
    assert again["failures"][0]["token"] == first["failures"][0]["token"]
    text = shell.run("check", "program.py", status=1).stdout
    assert "150 found" in text


def test_repaired_program_is_searched_again(shell):
    shell.check(LOST_UPDATE, status=1)
    assert shell.check(LOCKED, status=0)["verdict"] == "verified"


def test_without_saving(shell):
    report = shell.check(LOST_UPDATE, "--no-save", status=1)
    assert report["failures"][0]["token"].startswith("mz1-")
    assert not (shell.folder / ".mazurka").exists()


def test_resumes_where_it_was_stopped(shell):
    first = shell.check(LARGE, "--max-executions", "40", status=0)
    done = shell.run("check", "program.py", "--max-executions", "90", "--format", "json", status=0)
    assert "resuming: 40 executions done" in done.stderr
    assert first["executions"] == 40
    assert json.loads(done.stdout)["executions"] == 90
    done = shell.run("check", "program.py", "--max-executions", "10", "--fresh", "--format", "json", status=0)
    assert "resuming" not in done.stderr


def test_resumed_search_ends_like_an_uninterrupted_one(shell):
    small = LARGE.replace("range(12)", "range(2)").replace("range(4)", "range(2)")
    whole = shell.check(small, "--fresh", status=0)
    assert whole["verdict"] == "verified"
    limit = 0
    while True:
        limit += max(whole["executions"] // 3, 1)
        report = shell.check(small, *(["--fresh"] if limit < 2 else []), "--max-executions", str(limit), status=0)
        if report["complete"]:
            break
    assert report["verdict"] == "verified"
    assert report["executions"] == whole["executions"]


def test_doubts_survive_an_interruption(shell):
    """Only the first execution runs a command, which nobody controls; whoever resumes has not seen it, but knows."""
    source = """\
        import os
        import threading

        seen = []
        threads = [threading.Thread(target=seen.append, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if seen[0] == "a":
            os.system("true")
        """
    first = shell.check(source, "--max-executions", "1", status=0)
    assert first["uncontrolled"] == {"os.system": 1}
    report = shell.check(source, status=0)
    assert report["complete"]
    assert report["verdict"] == "inconclusive"
    assert "os.system" in report["reason"]


def _wait_for(shell, pattern, process=None):
    """Until a command has come so far that there is such a file, or has ended."""
    end = time.monotonic() + 30
    while not any(shell.folder.glob(pattern)) and (process is None or process.poll() is None):
        assert time.monotonic() < end, f"there is still no {pattern}"
        time.sleep(0.02)


@pytest.mark.slow
def test_killed_at_any_moment_it_resumes(shell):
    shell.write("program.py", LARGE)
    for _ in range(3):
        process = shell.start("check", "program.py", "--time-limit", "60")
        _wait_for(shell, ".mazurka/**/*.sqlite")
        time.sleep(1.5)
        process.kill()
        process.communicate()
    done = shell.run("check", "program.py", "--time-limit", "5", "--format", "json", status=0)
    assert "resuming" in done.stderr
    for database in (shell.folder / ".mazurka").glob("**/*.sqlite"):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_interrupt_ends_in_good_order(shell):
    shell.write("program.py", LARGE)
    process = shell.start("check", "program.py", "--time-limit", "60", "--format", "json")
    _wait_for(shell, ".mazurka/**/*.sqlite")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=20)
    assert process.returncode == 130, complaints
    report = json.loads(said)
    assert report["verdict"] == "inconclusive"
    assert "interrupted" in report["reason"]
    assert "resuming" in shell.run("check", "program.py", "--time-limit", "5", status=0).stderr


@pytest.mark.parametrize("loop", ["x += 1", "pass"])
def test_interrupt_ends_even_a_program_that_never_pauses(shell, loop):
    shell.write(
        "program.py",
        f"""\
        import threading

        x = 0
        other = threading.Thread(target=print)
        other.start()
        open("started", "w").close()
        while True:
            {loop}
        """,
    )
    process = shell.start("check", "program.py", "--max-steps", "100000000")
    _wait_for(shell, "started", process)  # files that a program makes are gone when its exploration ends
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=10)
    # 1: the endless loop was found before; ended by the signal: and Mazurka was about to end
    assert process.returncode in (1, 130, -signal.SIGINT), complaints
    assert "Traceback" not in complaints


def test_programs_checked_beside_each_other_make_different_temporary_files(shell):
    source = """\
        import tempfile
        import threading

        with tempfile.NamedTemporaryFile() as file:
            thread = threading.Thread(target=print)
            thread.start()
            thread.join()
            raise KeyError(file.name)
        """
    names = []
    for program in ("one.py", "one.py", "other.py"):
        shell.write(program, source)
        done = shell.run("check", program, "--no-save", "--format", "json", status=1)
        names.append(json.loads(done.stdout)["failures"][0]["message"])
    assert names[0] == names[1] != names[2]
