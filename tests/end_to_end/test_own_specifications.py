"""Classes that a user's own file specifies: marked, explored, recorded, and their calls predicted in other orders."""

from __future__ import annotations

from typing import Any

import pytest

_TOML = """
[bag]
model = "concurrent_set"

[bag.coarse]
"add || add" = "v1 != v2 or not r1 and not r2"
"add || contains" = "v1 != v2 or not r1"
"contains || contains" = "True"

[heap]
model = "priority_queue"
"""

_PYTHON = """
from mazurka.commute import SharedType, Step


class Bag(SharedType):
    initials = (frozenset(),)
    scope = {"v": (0, 1)}

    def add(self, s: frozenset, v: int) -> Step:
        return s | {v}, v not in s

    def contains(self, s: frozenset, v: int) -> Step:
        return s, v in s

    coarse = '''
        add, contains || add, contains : v1 != v2
    '''
"""

_PROGRAM = """
import threading

import mazurka

@mazurka.linearizable({mark}, state=lambda bag: frozenset(bag.items))
class Bag:
    def __init__(self):
        self.items, self.lock = [], threading.Lock()

    def add(self, v):
        with self.lock:
            if v in self.items:
                return False
            self.items.append(v)
            return True

    def contains(self, v):
        with self.lock:
            return v in self.items

def main():
    bag = Bag()
    threads = [threading.Thread(target=bag.add, args=(number,)) for number in range(4)]
    threads.append(threading.Thread(target=bag.contains, args=(1,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

if __name__ == "__main__":
    main()
"""


def _written(shell: Any, mark: str) -> None:
    shell.write("bag of things.toml", _TOML)
    shell.write("bag.py", _PYTHON)
    shell.write("program.py", _PROGRAM.replace("{mark}", mark))


@pytest.mark.parametrize(
    "mark", ['spec="bag of things.toml:bag"', 'spec="bag.py"', '"add", "contains", spec="bag.py:bag"']
)
def test_a_class_is_explored_and_checked_by_its_file(shell: Any, mark: str) -> None:
    _written(shell, mark)
    said = shell.run("check", "--strategy", "ncmc", "program.py").stdout
    named = mark.rpartition("spec=")[2].strip('"')
    assert f"assuming that Bag is linearizable, as {named} says" in " ".join(said.split())
    assert "program.py: 2 executions" in said  # contains(1) before add(1), and after it; adds commute
    checked = shell.run("spec", "check-linearizable", "program.py").stdout
    assert f"Bag ({named}): linearizable" in checked


def test_its_calls_are_predicted_by_its_file(shell: Any) -> None:
    _written(shell, 'spec="bag of things.toml:bag"')
    shell.run("record", "program.py")
    said = shell.run("predict", "program.recording", "--kind", "call-orders", "--confirm", status=1).stdout
    assert "1 call order violation\n" in said
    assert "confirmed by a replay" in said


def test_models_in_python_are_not_run_because_a_trace_names_them(shell: Any) -> None:
    _written(shell, 'spec="bag.py"')
    shell.run("record", "program.py")
    ran = shell.folder / "was_run"
    shell.write("bag.py", f"{_PYTHON}\nopen({str(ran)!r}, 'w').close()\n")
    left = shell.run("predict", "program.recording", "--kind", "call-orders")
    assert "calls of bag.py are left out" in left.stderr
    assert "0 call order violations" in left.stdout
    assert not ran.exists()
    said = shell.run("predict", "program.recording", "--kind", "call-orders", "--spec", "bag.py", status=1).stdout
    assert "1 call order violation\n" in said
    assert ran.exists()


@pytest.mark.parametrize(
    ("mark", "error"),
    [
        ('spec="none.toml"', "FileNotFoundError: no specification of Bag"),
        ("", "TypeError: no name of a type"),
    ],
)
def test_a_mark_without_a_specification_is_an_error(shell: Any, mark: str, error: str) -> None:
    _written(shell, mark or '*""')
    done = shell.run("check", "program.py", status=None)
    assert error in done.stdout + done.stderr


def test_several_types_need_a_name(shell: Any) -> None:
    _written(shell, 'spec="bag of things.toml"')
    shell.run("record", "program.py")
    left = shell.run("predict", "program.recording", "--kind", "call-orders")
    assert "it has several types: bag, heap" in left.stderr
