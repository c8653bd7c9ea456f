"""`--memory-model` as a user meets it: named in reports, kept in schedules, set in all places for settings."""

from __future__ import annotations

import json

import pytest
from tests.end_to_end.conftest import Shell

BUFFERING = """\
import threading

x = y = 0
seen = [None, None]


def left():
    global x
    x = 1
    seen[0] = y


def right():
    global y
    y = 1
    seen[1] = x


def test():
    threads = [threading.Thread(target=left), threading.Thread(target=right)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen != [0, 0]


if __name__ == "__main__":
    test()
"""

PASSING = """\
import threading

data, ready = None, False


def send():
    global data, ready
    data = "there"
    ready = True


def receive():
    if ready:
        assert data is not None


threads = [threading.Thread(target=send), threading.Thread(target=receive)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize(
    ("source", "model", "status"),
    [
        (BUFFERING, "sc", 0), (BUFFERING, "tso", 1), (BUFFERING, "pso", 1),
        (PASSING, "sc", 0), (PASSING, "tso", 0), (PASSING, "pso", 1),
    ],
)  # fmt: skip
def test_verdict(shell: Shell, source: str, model: str, status: int) -> None:
    report = shell.check(source, "--memory-model", model, status=status)
    assert report["memory_model"] == model
    assert report["scope"]["threads"] == 3
    if status:
        (failure,) = report["failures"]
        assert failure["explanation"]["shape"] == "delayed store"
        assert failure["witness"]["checked"]
        assert failure["replayed"]
    else:
        words = {"sc": "sequential consistency", "tso": "TSO"}[model]
        assert report["reason"].endswith(f"under {words}")


def test_the_report_tells_late_stores_in_words(shell: Shell) -> None:
    shell.write("program.py", PASSING)
    told = shell.run("check", "program.py", "--memory-model", "pso", status=1).stdout
    told = " ".join(told.split())
    assert "Delayed store: the store by Thread-1 (send) of data = 'there' has not reached memory when" in told
    assert "reads data = None, although its later store of ready has" in told
    assert "stores data = 'there' (not in memory yet)" in told
    assert "its ready = True reaches memory" in told
    assert "(mcr, pso)" in told


def test_a_schedule_keeps_its_memory_model(shell: Shell) -> None:
    report = shell.check(BUFFERING, "--memory-model", "tso", status=1)
    (failure,) = report["failures"]
    saved = json.loads((shell.folder / failure["schedule"]).read_text())
    assert saved["memory_model"] == "tso"
    assert any(thread.endswith("~") for thread, _ in saved["prefix"])
    assert "reproduced" in shell.run("replay", failure["schedule"], status=1).stdout
    there = Shell(shell.folder, {"MAZURKA_MEMORY_MODEL": "sc"})
    assert "reproduced" in there.run("replay", failure["token"], status=1).stdout


def test_a_schedule_of_plain_memory_is_not_replayed_under_another(shell: Shell) -> None:
    source = BUFFERING.replace("!= [0, 0]", "!= [0, 1]")
    (failure,) = shell.check(source, status=1)["failures"]
    there = Shell(shell.folder, {"MAZURKA_MEMORY_MODEL": "pso"})
    assert "reproduced" in there.run("replay", failure["token"], status=1).stdout


def test_a_schedule_of_an_unknown_memory_model_is_refused(shell: Shell) -> None:
    (failure,) = shell.check(BUFFERING, "--memory-model", "tso", status=1)["failures"]
    path = shell.folder / failure["schedule"]
    path.write_text(path.read_text().replace('"memory_model": "tso"', '"memory_model": "arm"'))
    assert "schedule-corrupt" in shell.run("replay", failure["schedule"], status=2).stderr


def test_every_place_can_set_it(shell: Shell) -> None:
    shell.write("program.py", BUFFERING)
    shell.run("check", "program.py", status=0)
    Shell(shell.folder, {"MAZURKA_MEMORY_MODEL": "tso"}).run("check", "program.py", status=1)
    shell.write("pyproject.toml", '[tool.mazurka]\nmemory-model = "pso"\n')
    shell.run("check", "program.py", status=1)
    wrong = shell.run("check", "program.py", "--memory-model", "arm", status=2)
    assert "tso" in wrong.stderr


def test_pytest(shell: Shell) -> None:
    decorated = BUFFERING.replace("def test():", '@mazurka.check(memory_model="tso")\ndef test():')
    shell.write("test_program.py", f"import mazurka\n{decorated}")
    told = shell.pytest("test_program.py", status=1).stdout
    assert "Delayed store" in told
    token = next(line.split()[-1] for line in told.splitlines() if line.startswith("Token:"))
    assert "Delayed store" in shell.run("replay", token, status=1).stdout
