"""Input that is wrong, hostile or merely odd: each gets a clear message or the right verdict."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path

import pytest

LOST_UPDATE = """\
import threading

count = 0


def work():
    global count
    count += 1


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert count == 2, count
"""

AROUND = """\
import os, sys, threading


def work():
    {body}


other = threading.Thread(target=lambda: None)
thread = threading.Thread(target=work)
thread.start()
other.start()
thread.join()
other.join()
"""


def saved(folder: Path) -> Path:
    (schedule,) = (folder / ".mazurka" / "failures").glob("*.json")
    return schedule


# -- requests that can't be met ---------------------------------------------------------------------------------------


def test_no_such_file(shell):
    done = shell.run("check", "nothing.py", status=2)
    assert "nothing.py" in done.stderr
    assert "no such file" in done.stderr
    assert "Traceback" not in done.stderr


def test_directory(shell):
    (shell.folder / "package").mkdir()
    done = shell.run("check", "package", status=2)
    assert "package: there are no tests" in done.stderr
    assert "is a directory" in shell.run("check", "package::test", status=2).stderr


def test_no_such_function(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py::missing", status=2)
    assert "program.py" in done.stderr
    assert "missing" in done.stderr
    assert "Traceback" not in done.stderr


def test_syntax_error_in_the_program(shell):
    shell.write("program.py", "import threading\n\ndef broken(:\n    pass\n")
    done = shell.run("check", "program.py", status=2)
    assert "program.py:3" in done.stderr
    assert "Traceback" not in done.stderr


def test_not_text(shell):
    (shell.folder / "program.py").write_bytes(b"x = '\xff\xfe\x00'\n")
    done = shell.run("check", "program.py", status=2)
    assert "program.py" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_such_option_value(shell):
    shell.write("program.py", LOST_UPDATE)
    assert "'bfs'" in shell.run("check", "program.py", "--strategy", "bfs", status=2).stderr
    assert "whole number" in shell.run("check", "program.py", "--seed", "-3", status=2).stderr
    assert "seconds" in shell.run("check", "program.py", "--time-limit", "soon", status=2).stderr


def test_no_such_package_to_include(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", "--include", "no_such_package", status=2)
    assert "no_such_package" in done.stderr


def test_invariant_that_is_no_expression(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", "--invariant", "count ==", status=2)
    assert "count ==" in done.stderr
    assert "Traceback" not in done.stderr


def test_unknown_key_in_the_project_file(shell):
    shell.write("program.py", LOST_UPDATE)
    shell.write("pyproject.toml", "[tool.mazurka]\nstategy = 'dfs'\n")
    done = shell.run("check", "program.py", status=2)
    assert "pyproject.toml [tool.mazurka]: unknown key stategy; did you mean strategy?" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chek", "program.py"], "Did you mean check?"),
        (["check", "progam.py"], "did you mean program.py?"),
        (["check", "program.py::wrk"], "did you mean work?"),
        (["check", "program.py", "--strategy", "mrc"], "Did you mean mcr?"),
        (["check", "program.py", "--profile", "thorogh"], "did you mean thorough?"),
        (["check", "program.py", "--include", "json.encodr"], "did you mean json.encoder?"),
        (["check", "program.py", "--include", "import_linter"], "is imported as importlinter"),
        (["predict", "program.py", "--kind", "race"], "did you mean races?"),
        (["explain", "no-such-modul"], "did you mean no-such-module?"),
    ],
)
def test_misspelt_names_are_answered_with_the_nearest(shell, arguments, hint):
    shell.write("program.py", LOST_UPDATE)
    assert hint in shell.run(*arguments, status=2).stderr


def test_an_error_is_explained_where_it_is_met(shell):
    said = shell.run("check", "nothing.py", status=2).stderr
    assert "see `mazurka explain no-such-file`" in said
    assert "does not exist, or is a directory" in shell.run("explain", "no-such-file", status=0).stdout
    assert "no-such-file" in shell.run("explain", status=0).stdout.split()


def test_the_cause_of_a_failed_import_is_told(shell):
    shell.write("program.py", LOST_UPDATE)
    shell.write("broken/__init__.py", "import no_such_dependency\n")
    shell.write("broken/part.py", "def main(): pass\n")
    shell.write("faulty.py", "def main(): pass\n\n1 / 0\n")
    said = shell.run("check", "program.py", "--include", "broken.part", status=2).stderr
    assert "No module named 'no_such_dependency'" in said
    assert "broken/__init__.py:1" in said
    assert "is no_such_dependency installed for" in said
    said = shell.run("check", "broken/part.py::main", status=2).stderr
    assert "No module named 'no_such_dependency'" in said
    said = shell.run("check", "faulty.py::main", status=2).stderr
    assert "ZeroDivisionError: division by zero" in said
    assert "faulty.py:3" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("package", ["mazurka", "greenlet", "os.path", "_pytest"])
def test_what_the_check_runs_on_is_not_included(shell, package):
    shell.write("program.py", LOST_UPDATE)
    said = shell.run("check", "program.py", "--include", package, status=2).stderr
    assert f"{package} can't be explored: Mazurka itself runs on it" in said


def test_a_session_of_pytest_does_not_include_what_it_runs_on(shell):
    shell.write("test_it.py", "def test_nothing(): pass\n")
    done = shell.pytest("--mazurka", "--mazurka-include", "pluggy", status=4)
    assert "pluggy can't be explored: pytest itself runs on it" in done.stdout + done.stderr


def test_pluggy_is_explored_as_any_library(shell):
    """Outside pytest nothing runs on it; left out, it is named."""
    source = """
        import threading, pluggy

        manager = pluggy.PluginManager("program")

        def work(name):
            manager.register(object(), name)

        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(manager.list_name_plugin()) == 2
    """
    report = shell.check(source, status=0)
    assert report["verdict"] == "inconclusive"
    assert any("pluggy (add --include pluggy)" in name for name in report["untracked"])
    report = shell.check(source, "--include", "pluggy", status=0)
    assert not any("pluggy" in name for name in report["untracked"])
    assert report["scope"]["points"] > 0


# -- odd programs -----------------------------------------------------------------------------------------------------


def test_module_that_cannot_be_instrumented(shell):
    """A module without source runs as it is; the report names it."""
    import py_compile

    source = shell.write("hidden.py", "value = []\n\ndef add(x):\n    value.append(x)\n")
    py_compile.compile(str(source), cfile=str(shell.folder / "hidden.pyc"))
    source.unlink()
    report = shell.check(
        """
        import threading
        import hidden

        threads = [threading.Thread(target=hidden.add, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
        status=0,
    )
    assert report["verdict"] == "inconclusive"
    assert "hidden" in json.dumps(report)


def test_program_without_threads(shell):
    shell.write("program.py", "total = sum(range(10))\nprint(total)\n")
    done = shell.run("check", "program.py", status=5)
    assert "no threads were started: there is nothing to explore" in done.stdout


def test_program_that_fails_without_threads(shell):
    report = shell.check("raise ValueError('always')\n", status=1)
    assert report["failures"][0]["exception"] == "ValueError"


def test_empty_program(shell):
    assert "no threads were started" in shell.check("", status=5)["reason"]


def test_reading_standard_input(shell):
    report = shell.check(
        """
        import sys, threading

        thread = threading.Thread(target=lambda: None)
        thread.start()
        assert sys.stdin.read() == ""
        thread.join()
        """,
        status=0,
    )
    assert "standard input" in json.dumps(report)


def test_input_meets_the_end_of_file(shell):
    report = shell.check("name = input('Who? ')\n", status=1)
    assert report["failures"][0]["exception"] == "EOFError"


def test_megabytes_of_output(shell):
    shell.write(
        "program.py",
        LOST_UPDATE.replace(
            "    count += 1", "    print('x' * 99, flush=True)\n    print('y' * 3_000_000)\n    count += 1"
        ),
    )
    done = shell.run("check", "program.py", status=1)
    assert "xxx" in done.stdout
    assert len(done.stdout) < 50_000


def test_output_of_passing_executions_is_not_shown(shell):
    shell.write(
        "program.py", "import threading\nt = threading.Thread(target=print, args=('hello',))\nt.start()\nt.join()\n"
    )
    done = shell.run("check", "program.py", status=0)
    assert "hello" not in done.stdout + done.stderr


def test_sys_exit_in_a_thread_ends_that_thread_only(shell):
    assert not shell.check(AROUND.format(body="sys.exit(3)"), status=0)["failures"]


def test_sys_exit_in_the_main_thread(shell):
    assert not shell.check("import sys\nsys.exit(0)\n", status=5)["failures"]
    assert shell.check("import sys\nsys.exit(3)\n", status=1)["failures"][0]["kind"] == "exit"


def test_os_exit_in_a_thread(shell):
    """It would end the whole program, and with it the check: it ends the execution and is a failure."""
    report = shell.check(AROUND.format(body="os._exit(7)"), status=1)
    assert report["failures"][0]["kind"] == "exit"
    assert "7" in report["failures"][0]["message"]


def test_keyboard_interrupt_in_a_thread(shell):
    report = shell.check(AROUND.format(body="raise KeyboardInterrupt"), status=1)
    assert report["failures"][0]["exception"] == "KeyboardInterrupt"


def test_recursion_error(shell):
    report = shell.check(AROUND.format(body="work()"), status=1)
    assert report["failures"][0]["exception"] == "RecursionError"


def test_thread_that_swallows_every_exception(shell):
    """Ending an execution must not depend on the program letting exceptions through."""
    report = shell.check(
        """
        import threading

        lock = threading.Lock()
        lock.acquire()


        def stubborn():
            while True:
                try:
                    lock.acquire()
                except BaseException:
                    pass


        thread = threading.Thread(target=stubborn)
        thread.start()
        thread.join()
        """,
        status=1,
    )
    assert report["failures"][0]["kind"] in ("deadlock", "blocked")


def test_endless_loop_is_bounded(shell):
    report = shell.check(AROUND.format(body="while True: pass"), "--time-limit", "20", status=1)
    assert report["failures"][0]["kind"] == "livelock"


@pytest.mark.parametrize("isolation", ["auto", "fork"])
def test_function_that_returns_what_cannot_leave_the_process(shell, isolation):
    shell.write(
        "program.py",
        """
        import threading

        def main():
            thread = threading.Thread(target=print)
            thread.start()
            thread.join()
            return lambda: thread
        """,
    )
    done = shell.run("check", "program.py::main", "--isolation", isolation, status=0)
    assert "verified" in done.stdout


@pytest.mark.parametrize(
    "stubborn", [pytest.param(False, marks=pytest.mark.long), pytest.param(True, marks=pytest.mark.slow)]
)
def test_blocking_call_outside_the_model_is_cut(shell, stubborn):
    """What ends the child is done by a thread that can't move while this one blocks the process for real."""
    read = "os.waitpid(child, 0)"
    if stubborn:
        read = "while True:\n        try: os.waitpid(child, 0)\n        except BaseException: pass"
    report = shell.check(
        f"""\
import os, threading

child = os.posix_spawn("/bin/sleep", ["sleep", "12"], {{}})

def work():
    {read}

thread = threading.Thread(target=work, daemon=True)
thread.start()
os.kill(child, 9)
""",
        "--time-limit",
        "60",
        status=0,
    )
    assert report["verdict"] == "inconclusive"
    assert "blocked for 5 seconds outside the model" in report["reason"]
    assert "program.py:" in report["reason"]


def test_processes_are_counted(shell):
    report = shell.check(AROUND.format(body="os.system('exit')"), status=0)
    assert report["verdict"] == "inconclusive"
    assert "os.system" in report["uncontrolled"]


def test_program_that_changes_directory_and_argv(shell):
    report = shell.check(
        """
        import os, sys, threading

        before = os.getcwd()
        assert sys.argv[1:] == ["a", "-b"], sys.argv
        os.mkdir("made") if not os.path.exists("made") else None
        os.chdir("made")
        sys.argv.append("c")
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        assert not before.endswith("made")
        """,
        "--",
        "a",
        "-b",
        status=0,
    )
    assert not report["failures"]


# -- schedules --------------------------------------------------------------------------------------------------------


def test_corrupt_schedule(shell):
    shell.check(LOST_UPDATE, status=1)
    path = saved(shell.folder)
    whole = path.read_text()
    path.write_text(whole.replace('"0.1"', '"0.2"', 1) if '"0.1"' in whole else whole[:-20] + "}")
    done = shell.run("replay", str(path), status=2)
    assert path.name in done.stderr
    assert "Traceback" not in done.stderr
    for text in (whole[: len(whole) // 2], "", "[]", "{}", "\0\1"):
        path.write_text(text)
        done = shell.run("replay", str(path), status=2)
        assert path.name in done.stderr
        assert "Traceback" not in done.stderr


def test_missing_schedule(shell):
    done = shell.run("replay", "nothing.json", status=2)
    assert "nothing.json" in done.stderr


def test_corrupt_token(shell):
    token = shell.check(LOST_UPDATE, status=1)["failures"][0]["token"]
    assert token.startswith("mz1-")
    for broken in (token[:-1], token[:-3] + "AAA", "mz1-", "mz1-!!!", token[:10]):
        done = shell.run("replay", broken, status=2)
        assert "token" in done.stderr
        assert "Traceback" not in done.stderr


def test_schedule_of_another_version(shell):
    shell.check(LOST_UPDATE, status=1)
    path = saved(shell.folder)
    content = json.loads(path.read_text())
    content["format"] = 999
    path.write_text(json.dumps(content))
    done = shell.run("replay", str(path), status=2)
    assert "999" in done.stderr or "version" in done.stderr
    assert "Traceback" not in done.stderr


def test_schedule_of_another_program(shell):
    """The program was changed since: the first step that differs is shown, expected against actual."""
    shell.check(LOST_UPDATE, status=1)
    shell.write(
        "program.py",
        LOST_UPDATE.replace("    count += 1", "    with lock:\n        count += 1").replace(
            "count = 0\n", "count = 0\nlock = threading.Lock()\n"
        ),
    )
    done = shell.run("replay", str(saved(shell.folder)), status=2)
    said = done.stdout + done.stderr
    assert "expected" in said
    assert "actual" in said or "but" in said
    assert "Traceback" not in said


def test_program_of_a_schedule_is_gone(shell):
    shell.check(LOST_UPDATE, status=1)
    (shell.folder / "program.py").unlink()
    done = shell.run("replay", str(saved(shell.folder)), status=2)
    assert "program.py" in done.stderr


# -- the place where things are saved ---------------------------------------------------------------------------------


@pytest.mark.parametrize("obstacle", ["a file called .mazurka", "a folder that can't be written"])
def test_nowhere_to_save(shell, obstacle):
    """What can't be saved is said; the schedule is printed as a token instead."""
    if obstacle.startswith("a file"):
        shell.write(".mazurka", "in the way")
    else:
        # A link into a read-only file system: works for root as well, whom permissions don't stop.
        (shell.folder / ".mazurka").symlink_to("/proc/self/fdinfo")
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", status=1)
    assert "can't save" in done.stderr
    assert "mazurka replay mz1-" in done.stdout
    token = next(word for word in done.stdout.split() if word.startswith("mz1-"))
    assert "reproduced" in shell.run("replay", token, status=1).stdout


def test_full_disk(shell):
    """Files may not grow: every write fails the way it does on a full disk. Nothing half-written is left."""
    shell.write("program.py", LOST_UPDATE)

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        shell.command("mazurka", "check", "program.py"),
        cwd=shell.folder,
        env={**shell.variables(), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=no_room,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "can't save" in done.stderr
    assert "mazurka replay mz1-" in done.stdout
    assert not list((shell.folder / ".mazurka").glob("failures/*"))


def test_two_checks_at_once_in_one_directory(shell):
    slow = "import sys, threading\n" + LOST_UPDATE.replace("range(2)", "range(5)").replace("count == 2", "count >= 1")
    shell.write("program.py", slow)
    running = [shell.start("check", "program.py", "--strategy", "dfs", "--time-limit", "3") for _ in range(2)]
    ended = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0], ended
    assert not any("Traceback" in said for _, said in ended)
    assert sum("another check" in said for _, said in ended) <= 1


def test_output_file_that_cannot_be_written(shell):
    shell.write("program.py", LOST_UPDATE)
    done = shell.run("check", "program.py", "--output", os.path.join("no", "such", "folder.txt"), status=2)
    assert "folder.txt" in done.stderr
    assert "Traceback" not in done.stderr
