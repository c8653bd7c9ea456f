"""Threads that make the same call, with and without something that tells them apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle.shown_outcomes import explored

_HEAD = """\
import threading
lock, gone = threading.Lock(), threading.Event()
class State: n = 0
"""

_START = """
ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts: t.start()
"""

_JOIN = "for t in ts: t.join()\n"

SINGLETON = f"""{_HEAD}
State.made, out = None, []
def work():
    if State.made is None:
        with lock:
            if State.made is None: State.made = object()
    out.append(State.made)
{_START.replace("2", "3")}{_JOIN}print(len(set(out)))
"""

#: What tells threads apart, and what an outcome shows that only a later one that goes first has.
TOLD_APART = {
    "name": f"""{_HEAD}
def work():
    with lock: State.n = State.n or ts.index(threading.current_thread()) + 1
{_START}{_JOIN}print(State.n)
""",
    "identifier": f"""{_HEAD}
def work():
    with lock: State.n = State.n or threading.get_ident()
{_START}{_JOIN}print([State.n == t.ident for t in ts])
""",
    "join of one": f"""{_HEAD}
def work():
    with lock: State.n += 1
{_START}ts[0].join()
print(State.n)
""",
    "is_alive": f"""{_HEAD}
def work():
    State.n = 1
{_START}print(ts[0].is_alive(), ts[1].is_alive())
{_JOIN}
""",
    "join between joins": f"""{_HEAD}
def work():
    with lock: State.n += 1
{_START}for t in ts:
    t.join()
    State.m = State.n, State.m if hasattr(State, 'm') else 0
print(State.m)
""",
    "the first to move never ends": f"""{_HEAD}
def work():
    with lock: State.n += 1; first = State.n == 1
    if first: gone.wait()
{_START}ts[0].join()
assert False
""",
    "arguments": f"""{_HEAD}
def work(i):
    with lock: State.n = State.n or i
ts = [threading.Thread(target=work, args=(i,)) for i in (1, 2)]
for t in ts: t.start()
{_JOIN}print(State.n)
""",
    "steps between the starts": f"""{_HEAD}
def work():
    with lock: State.n = State.n * 2 + 1
for number in range(2):
    threading.Thread(target=work).start()
    State.n += 5
print(State.n)
""",
}


def test_orders_of_threads_that_are_alike_are_executed_once(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(SINGLETON)
    shown, all_shown = explored(path, "dpor"), explored(path, "mcr")
    assert shown[1].complete
    assert shown[0].keys() == all_shown[0].keys()
    assert shown[1].executions * 3 < all_shown[1].executions


@pytest.mark.parametrize("name", TOLD_APART)
def test_threads_that_something_tells_apart(name: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(TOLD_APART[name])
    all_shown, by_dfs = explored(path, "dfs")
    shown, by_dpor = explored(path, "dpor")
    assert by_dfs.complete
    assert by_dpor.complete
    assert shown.keys() == all_shown.keys()
