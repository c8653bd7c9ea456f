"""``--property``: checks, tests and recordings of programs that are held to properties."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mazurka.trace.property_events import property_events
from mazurka.trace.reading import read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.end_to_end.conftest import Shell

_ITERATION = """\
    import threading

    shared = {"A"}

    def second():
        shared.add("B")

    def test_first():
        thread = threading.Thread(target=second)
        thread.start()
        for _ in shared:
            pass
        thread.join()

    if __name__ == "__main__":
        test_first()
"""


def _failures(report: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(report.read_text())["failures"]
    return found


def test_a_check_reports_replays_and_suppresses_a_violation(shell: Shell) -> None:
    program = shell.write("program.py", _ITERATION)
    done = shell.run("check", "program.py", "--property", "unsafe-iteration", "--output", "out.json")
    assert done.returncode == 1, done.stderr
    (failure,) = _failures(shell.folder / "out.json")
    assert failure["kind"] == "unsafe-iteration"
    assert {event["line"] for event in failure["locations"]} == {11}
    assert "begin(set#" in failure["explanation"]["sentence"]
    again = shell.run("replay", failure["schedule"])
    assert "reproduced: " in again.stdout
    known = shell.run(
        "check", "program.py", "--property", "unsafe-iteration", "--ignore", "unsafe-iteration: location *"
    )
    assert "violation" not in known.stdout, known.stdout + known.stderr
    program.write_text(program.read_text().replace("for _ in shared:", "for _ in list(shared):"))
    assert "verified" in shell.run("check", "program.py", "--property", "unsafe-iteration").stdout


def test_settings_of_the_project_name_properties(shell: Shell) -> None:
    shell.write("program.py", _ITERATION)
    shell.write(
        "own.mzp", 'property never(c):\n    "{c} is changed."\n    event add(c): call set.add(c, _)\n    pattern: add\n'
    )
    shell.write("pyproject.toml", '[tool.mazurka]\nproperties = ["own.mzp"]\n')
    done = shell.run("check", "program.py", "--output", "out.json")
    assert done.returncode == 1, done.stderr
    assert [each["kind"] for each in _failures(shell.folder / "out.json")] == ["never"]


def test_an_unknown_property(shell: Shell) -> None:
    shell.write("program.py", _ITERATION)
    done = shell.run("check", "program.py", "--property", "unsafe-iterations")
    assert done.returncode == 2
    assert "unsafe-iteration" in done.stderr


def test_a_recording_has_the_events(shell: Shell) -> None:
    shell.write("program.py", _ITERATION)
    assert shell.run("record", "program.py", "--property", "unsafe-iteration").returncode == 0
    events = property_events(read_trace(shell.folder / "program.recording"))
    assert [each.event for each in events].count("begin") == 1
    assert {each.event for each in events} == {"begin", "change", "next"}
    assert (
        "unsafe-iteration.change"
        in shell.run("convert", "program.recording", "out.csv").stdout + (shell.folder / "out.csv").read_text()
    )


def test_tests_are_held_to_properties(shell: Shell) -> None:
    shell.write("test_program.py", _ITERATION)
    done = shell.pytest("--mazurka", "--mazurka-property", "unsafe-iteration")
    assert done.returncode == 1
    assert "The property unsafe-iteration is violated" in done.stdout


_BOTH_LOCKS = """\
    import threading

    first, second = threading.Lock(), threading.Lock()

    def one():
        with first:
            with second:
                pass

    def two():
        with second:
            with first:
                pass

    threads = [threading.Thread(target=each) for each in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_are_about_to_wait_for_each_other(shell: Shell) -> None:
    shell.write("program.py", _BOTH_LOCKS)
    done = shell.run("check", "program.py", "--property", "deadlock", "--output", "out.json")
    assert done.returncode == 1, done.stdout
    (failure,) = _failures(shell.folder / "out.json")
    assert failure["kind"] == "circular-wait"


_GUARDED = """\
    import threading

    first, second, guard = threading.Lock(), threading.Lock(), threading.Lock()

    def one():
        with guard:
            with first:
                with second:
                    pass

    def two():
        with guard:
            with second:
                with first:
                    pass

    threads = [threading.Thread(target=each) for each in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


_CALLS = """\
    import threading

    class File:
        def open(self): pass
        def use(self): pass
        def close(self): pass

    file = File()
    file.open()

    def use_and_close():
        file.use()
        file.close()

    threads = [threading.Thread(target=each) for each in (file.use, use_and_close)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
_PROTOCOL = """\
    property protocol(f):
        event open(f): call *.File.open(f)
        event use(f): call *.File.use(f)
        event close(f): call *.File.close(f)
        pattern: !(open use* close)
"""


def test_a_prediction_that_rests_on_calls_of_functions_is_confirmed(shell: Shell) -> None:
    shell.write("program.py", _CALLS)
    shell.write("own.mzp", _PROTOCOL)
    _all_are_confirmed(shell, "own.mzp", "protocol")


def test_a_prediction_that_rests_on_a_release_is_confirmed(shell: Shell) -> None:
    shell.write("program.py", _GUARDED)
    _all_are_confirmed(shell, "lock-order", "lock-order")


def _all_are_confirmed(shell: Shell, stated: str, name: str) -> None:
    done = shell.run("record", "program.py", "--property", stated, "-o", "recording")
    assert done.returncode == 0, done.stderr
    done = shell.run("predict", "recording", "--confirm", "--format", "json")
    findings = json.loads(done.stdout)["findings"]
    assert findings
    assert all((each["kind"], each["witness"]["checked"], each["replayed"]) == (name, True, True) for each in findings)


_LISTENERS = """\
    import threading

    class Source:
        def __init__(self):
            self.listeners = []

        def subscribe(self, listener):
            self.listeners.append(listener)

        def unsubscribe(self, listener):
            self.listeners.remove(listener)

        def fire(self):
            for listener in list(self.listeners):
                {call}

    class Log:
        def __call__(self, *given):
            pass

        def write(self, *given):
            pass

    def function(*given):
        pass

    source, log = Source(), Log()
    source.subscribe({listener})
    threads = [
        threading.Thread(target=source.fire),
        threading.Thread(target=source.unsubscribe, args=({listener},)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.parametrize("call", ["listener()", "listener(*(1, 2))"])
@pytest.mark.parametrize("listener", ["function", "log.write"])
def test_a_listener_is_called_by_whatever_name(shell: Shell, listener: str, call: str) -> None:
    shell.write("program.py", _LISTENERS.format(listener=listener, call=call))
    done = shell.run("check", "program.py", "--property", "callback-after-unsubscribe", "--output", "out.json")
    assert done.returncode == 1, done.stdout
    (failure,) = _failures(shell.folder / "out.json")
    assert failure["kind"] == "callback-after-unsubscribe"


_TABLES = """\
    import threading

    class Database:
        def create(self, table):
            pass

        def execute(self, sql):
            pass

    database = Database()

    def one():
        database.create("users")

    def two():
        database.execute("insert into {table} values (1)")

    threads = [threading.Thread(target=each) for each in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
_CREATED = """\
    property update-before-create(table):
        "{t1} updates {table} before {t2} has created it."

        event create(table): call program.Database.create(_, table)
        event update(table): call program.Database.execute(_, sql) if table in sql

        pattern: update(t1) create(t2)
"""


def test_a_condition_on_the_parameter_of_another_event(shell: Shell) -> None:
    """FIG. 19 of the patent: `if (sql.contains(table))`, where other events bind the table."""
    shell.write("created.mzp", _CREATED)
    for table, status in (("users", 1), ("orders", 0)):
        shell.write("program.py", _TABLES.replace("{table}", table))
        done = shell.run("check", "program.py", "--property", "created.mzp", "--require-complete", "--no-save")
        assert done.returncode == status, done.stdout
        if status:
            assert "update(table in 'insert into users values (1)')" in " ".join(done.stdout.split())
        shell.run("record", "program.py", "--property", "created.mzp", "-o", f"{table}.recording")
        done = shell.run("predict", f"{table}.recording", "--property", "created.mzp")
        assert done.returncode == status, done.stdout
        assert f"{status} violation" in done.stdout
        assert "0 undecided" in done.stdout or not status


def test_a_condition_on_an_object_is_counted(shell: Shell) -> None:
    shell.write("created.mzp", _CREATED)
    shell.write("program.py", _TABLES.replace("{table}", "users").replace('"users"', "object()"))
    done = shell.run("check", "program.py", "--property", "created.mzp", "--require-complete", "--no-save")
    assert done.returncode == 3, done.stdout
    assert "update-before-create on objects that are no plain values" in " ".join(done.stdout.split())


_BANK = """\
    import threading

    class Account:
        def close(self):
            pass

        def pay(self):
            pass

    held = Account()
    thread = threading.Thread(target=held.close)
    thread.start()
    thread.join()
"""

_CLOSED_TWICE = """\
    property closed-twice(a):
        "{a} is closed twice"

        event closed(a): call %s(a)

        pattern: closed(t1) closed(t2)
"""


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("bank.Account.close", "verified: no order of the threads fails"),
        ("*.clos", "inconclusive: nothing found, but the event closed of closed-twice never happened"),
        ("{banc, bank}.Account.close", "verified: no order of the threads fails"),
        ("threading.Lock.acquire", "inconclusive: nothing found, but the event closed of closed-twice never happened"),
        ("bank.Account.clos", "bank.Account has no clos; did you mean close?"),
        ("bank.Acount.close", "bank has no Acount; did you mean Account?"),
        ("banc.Account.close", "there is no module banc; did you mean bank?"),
        ("Account.close", "Account.close is no full name; did you mean bank.Account.close?"),
        ("dict.popp", "builtins.dict has no popp; did you mean pop?"),
    ],
)
def test_nothing_is_verified_if_an_event_has_a_name_of_nothing(shell: Shell, name: str, verdict: str) -> None:
    shell.write("bank.py", _BANK)
    shell.write("own.mzp", _CLOSED_TWICE % name)
    done = shell.run("check", "bank.py", "--property", "own.mzp")
    assert verdict in done.stdout.splitlines()[0], done.stdout + done.stderr


def test_nor_in_a_c_program(shell: Shell) -> None:
    shell.write("main.c", "#include <stdlib.h>\nint main(void) { free(malloc(1)); }\n")
    shell.write("own.mzp", _CLOSED_TWICE % "c:fre")
    done = shell.run("check", "main.c", "--property", "own.mzp")
    assert "event closed of closed-twice: there is no function fre; did you mean free?" in done.stdout
