"""The results of this tool and of frontrun 0.7.0 on the same small programs, side by side in one run.

    make bench ARGS=beside

Each program has a bug that some order of its threads shows, or none, and a search that is cut off; the demand is the
right result here, and the note has the peer's, with its default search but without its bound of preemptions. The
programs are those of `tests/end_to_end/test_rivals.py`, in the form that both tools take: a state, functions of threads
on it, and a condition at the end. frontrun needs its launcher, as it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SRC = Path(__file__).resolve().parents[1] / "src"

_FOUND: Final = "violation"
_OPEN: Final = "inconclusive"
_VERIFIED: Final = "verified"

#: Seconds for one program.
_LIMIT: Final = 120


@dataclass(frozen=True, slots=True)
class Compared:
    """A program: the source of `State`, `workers` and `holds`, the right verdict, and the limit of executions."""

    name: str
    right: str
    source: str
    limit: int | None = None


_PROGRAMS: Final = (
    Compared(
        "a lost update through a dictionary",
        _FOUND,
        """
class Account:
    def __init__(self):
        self.v = 0

class State:
    def __init__(self):
        self.accounts = {"alice": Account()}

def add(state):
    state.accounts["alice"].v += 1

workers = [add, add]

def holds(state):
    return state.accounts["alice"].v == 2
""",
    ),
    Compared(
        "RVExample: an error behind two branches",
        _FOUND,
        """
import threading

class State:
    def __init__(self):
        self.x = self.y = 0
        self.error = False
        self.lock = threading.Lock()

def first(state):
    for _ in range(2):
        with state.lock:
            state.x = 0
        if state.x > 0:
            state.y = state.y + 1
            state.x = 2

def second(state):
    for _ in range(2):
        if state.x > 1:
            if state.y == 3:
                state.error = True
            else:
                state.y = 2

def third(state):
    for _ in range(2):
        with state.lock:
            state.x = 1
            state.y = 1

workers = [first, second, third]

def holds(state):
    return not state.error
""",
    ),
    Compared(
        "a name that two threads find missing by `in`",
        _FOUND,
        """
class State:
    def __init__(self):
        self.names = {}
        self.added = []

def add(state):
    if "name" not in state.names:
        state.names["name"] = "first"
        state.added.append("name")

workers = [add, add]

def holds(state):
    return len(state.added) == 1
""",
    ),
    Compared(
        "a deque that two threads find empty",
        _FOUND,
        """
from collections import deque

class State:
    def __init__(self):
        self.items = deque()

def add(state):
    if not state.items:
        state.items.append(1)

workers = [add, add]

def holds(state):
    return len(state.items) == 1
""",
    ),
    Compared(
        "a search cut off after 20 executions",
        _OPEN,
        """
class State:
    def __init__(self):
        self.x = 0

def add(state):
    for _ in range(7):
        state.x += 1

workers = [add, add]

def holds(state):
    return True
""",
        20,
    ),
    Compared(
        "a lost update of threads that a thread starts",
        _FOUND,
        """
import threading

class State:
    def __init__(self):
        self.x = 0

def add(state):
    state.x += 1

def start_two(state):
    threads = [threading.Thread(target=add, args=(state,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def idle(state):
    pass

workers = [start_two, idle]

def holds(state):
    return state.x == 2
""",
    ),
    Compared(
        "a deadlock of locks whose class was imported",
        _FOUND,
        """
from threading import Lock

class State:
    def __init__(self):
        self.a, self.b = Lock(), Lock()

def forth(state):
    with state.a:
        with state.b:
            pass

def back(state):
    with state.b:
        with state.a:
            pass

workers = [forth, back]

def holds(state):
    return True
""",
    ),
    Compared(
        "an exception in a thread",
        _FOUND,
        """
class State:
    def __init__(self):
        self.user = "alice"

def greet(state):
    if state.user is not None:
        state.user.upper()

def log_out(state):
    state.user = None

workers = [greet, log_out]

def holds(state):
    return True
""",
    ),
    Compared(
        "a counter up and down three times: no bug",
        _VERIFIED,
        """
class State:
    def __init__(self):
        self.x = 0

def up(state):
    for _ in range(3):
        state.x = state.x + 1

def down(state):
    for _ in range(3):
        state.x = state.x - 1

workers = [up, down]

def holds(state):
    return True
""",
    ),
)

_MAIN: Final = """

import threading as _threading

_state = State()
_threads = [_threading.Thread(target=each, args=(_state,)) for each in workers]
for _each in _threads:
    _each.start()
for _each in _threads:
    _each.join()
assert holds(_state)
"""


def measure(settings: Any) -> Any:
    """See :mod:`benchmarks.row`, which the peer's interpreter can't import."""
    from benchmarks.row import Row

    for each in _PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            verdict, executions = _ours(Path(folder), each)
            note = _peers(Path(folder), each, settings.frontrun) if settings.frontrun else "not run: --frontrun PYTHON"
        measured = f"{verdict}, {executions} executions"
        yield Row(each.name, each.right, measured, note=f"frontrun 0.7.0: {note}", holds=verdict == each.right)


def _ours(folder: Path, program: Compared) -> tuple[str, int]:
    script = folder / "ours.py"
    script.write_text(program.source + _MAIN)
    command = [sys.executable, "-m", "mazurka", "check", str(script), "--format", "json", "--no-save"]
    command += [] if program.limit is None else ["--max-executions", str(program.limit)]
    environment = {**os.environ, "PYTHONPATH": str(_SRC)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=_LIMIT
    )
    report = json.loads(done.stdout)
    return report["verdict"], report["executions"]


def _peers(folder: Path, program: Compared, python: str) -> str:
    (folder / "theirs.py").write_text(program.source)
    launcher = str(Path(python).with_name("frontrun"))
    command = [launcher, python, str(Path(__file__).resolve()), str(folder), str(program.limit or 0)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        return f"no result within {_LIMIT} s"
    lines = done.stdout.splitlines()
    return lines[-1] if done.returncode == 0 and lines else f"ended with {(done.stderr.splitlines() or ['?'])[-1][:90]}"


def _as_peer(folder: str, limit: int) -> Iterator[str]:
    """Runs inside the peer's interpreter, where this project is not importable."""
    import importlib

    sys.path.insert(0, folder)
    explore = importlib.import_module("frontrun").explore
    module = importlib.import_module("theirs")
    how: dict[str, Any] = {"preemption_bound": None, "detect_io": False, **({"max_executions": limit} if limit else {})}
    try:
        result = explore(module.State, module.workers, module.holds, **how)
    except Exception as error:
        yield f"explore() raises {type(error).__name__}"
        return
    words = {True: "the property holds", False: "violation", None: "inconclusive"}[result.property_holds]
    yield f"{words}, {result.num_explored} execution{'s' * (result.num_explored != 1)}"


if __name__ == "__main__":
    for line in _as_peer(sys.argv[1], int(sys.argv[2])):
        print(line)
