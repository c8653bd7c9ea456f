"""Properties by `mazurka record` and `mazurka predict`: from one passing run to a violation that a run confirms."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests import preloaded

_PROGRAM = """
import threading, time
cache = {"a": 1}
lock = threading.Lock()
def remove():
    if "a" in cache:
        del cache["a"]
def other():
    cache.pop("a", None)
threads = [threading.Thread(target=each) for each in (remove, other)]
threads[0].start()
time.sleep(0.05)
threads[1].start()
for each in threads: each.join()
"""

_LOCKED = _PROGRAM.replace(
    '    if "a" in cache:\n        del', '    with lock:\n      if "a" in cache:\n        del'
).replace("    cache.pop", "    with lock: cache.pop")


def _run(folder: Path, *arguments: str, status: int) -> subprocess.CompletedProcess[str]:
    ended = preloaded.run(arguments, folder, preloaded.environment(), timeout=60)
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended


def test_a_violation_is_predicted_and_confirmed(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_PROGRAM)
    _run(tmp_path, "record", "shop.py", "--property", "check-then-act", status=0)
    made = _run(tmp_path, "predict", "shop.recording", "--kind", "deadlocks", "--confirm", "--format", "json", status=1)
    report = json.loads(made.stdout)
    assert [each["kind"] for each in report["findings"]] == ["check-then-act"]
    (finding,) = report["findings"]
    assert finding["replayed"]
    first, between, last = finding["events"]
    assert first < last < between  # numbers in the trace: the order is another one


_VIEW = """
import threading, time
class Machine:
    def __init__(self):
        self.events = {"begin": [1], "end": [2]}
    def triggers(self):
        return [name for name, numbers in self.events.items() if any(n in numbers for n in (1, 2))]
    def add(self):
        if "stop" not in self.events:
            self.events["stop"] = [3]
machine = Machine()
threads = [threading.Thread(target=each) for each in (machine.triggers, machine.add)]
threads[0].start()
time.sleep(0.05)
threads[1].start()
for each in threads: each.join()
"""


def test_the_making_of_a_view_is_no_access(tmp_path: Path) -> None:
    """In a replay it is a step of the property, which no access of the recording stands for."""
    (tmp_path / "shop.py").write_text(_VIEW)
    _run(tmp_path, "record", "shop.py", "--property", "unsafe-iteration", status=0)
    made = _run(tmp_path, "predict", "shop.recording", "--confirm", "--format", "json", status=1)
    found = [each for each in json.loads(made.stdout)["findings"] if each["kind"] == "unsafe-view-iteration"]
    assert found
    assert any(each["replayed"] for each in found)


def test_a_lock_excludes_it(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_LOCKED)
    _run(tmp_path, "record", "shop.py", "--property", "check-then-act", status=0)
    made = _run(tmp_path, "predict", "shop.recording", "--property", "check-then-act", status=0)
    assert "0 violations of check-then-act," in made.stdout


def test_an_unknown_property(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_PROGRAM)
    for command in (["record", "shop.py"], ["predict", "shop.recording"]):
        made = _run(tmp_path, *command, "--property", "check-then-akt", status=2)
        assert "did you mean check-then-act" in made.stderr
    assert not (tmp_path / "shop.recording").exists()


_CLOSED = """
import threading, time
class Resource:
    def open(self): pass
    def close(self): pass
resource = Resource()
resource.open()
threads = [threading.Thread(target=resource.close) for _ in range(2)]
for each in threads: each.start()
for each in threads: each.join()
"""

_CLOSED_TWICE = """
property closed-twice(r):
    event open(r): call *.Resource.open(r)
    event close(r): call *.Resource.close(r)
    pattern: open? close close close?
"""


def test_a_violation_within_another_one_is_reported_alone(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_CLOSED)
    (tmp_path / "closed.mzp").write_text(_CLOSED_TWICE)
    _run(tmp_path, "record", "shop.py", "--property", "closed.mzp", status=0)
    made = _run(tmp_path, "predict", "shop.recording", "--kind", "deadlocks", "--format", "json", status=1)
    (finding,) = json.loads(made.stdout)["findings"]
    assert len(finding["events"]) == 2


_COUNTED = """
import threading, time
class Counter:
    n = 0
class Flag:
    up = False
counter, flag = Counter(), Flag()
numbers = {"n": 0}
lock = threading.Lock()
def add():
    with lock:
        STORE
def other():
    with lock:
        STORE
        flag.up = True
threads = [threading.Thread(target=each) for each in (add, other)]
threads[0].start()
time.sleep(0.05)
threads[1].start()
for each in threads: each.join()
"""


_WORDS = {"recorded": "first up", "other": "up first"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("store", "pointcut"),
    [
        ("counter.n += 1", "set *.Counter.n(_) = 1"),
        ("counter.n += 1", "set *.Counter.n(_, value) if value == 1"),
        ("counter.n += 1", "call int.{__add__, __iadd__}(0, _)"),
        ("numbers['n'] += 1", "set dict(_)['n'] = 1"),
        ("numbers['n'] += 1", "call int.{__add__, __iadd__}(0, _)"),
    ],
)
def test_the_value_of_an_augmented_assignment_decides_its_events(tmp_path: Path, store: str, pointcut: str) -> None:
    """The read of such an assignment decides nothing else: in the other order the first thread stores 2."""
    (tmp_path / "shop.py").write_text(_COUNTED.replace("STORE", store))
    events = f"    event first: {pointcut}\n    event up: set *.Flag.up(_)\n"
    stated = [f"property {name}:\n{events}    pattern: {word}\n" for name, word in _WORDS.items()]
    (tmp_path / "first.mzp").write_text("\n".join(stated))
    _run(tmp_path, "record", "shop.py", "--property", "first.mzp", status=0)
    made = _run(tmp_path, "predict", "shop.recording", "--kind", "deadlocks", status=1)
    assert "1 violation of recorded, 0 violations of other" in made.stdout


_STORED = """thread,op,kind,target,value,location
0,fork,thread,1,,p.py:1
1,write,var,d[k],,p.py:2
1,rmw,structure,d,,p.py:2
1,point,point,"check-then-act.change(d,k)^",,p.py:2
0,read,var,d[k],,p.py:3
0,point,point,"check-then-act.check(d,k)^",,p.py:3
0,write,var,d[k],,p.py:4
0,point,point,"check-then-act.change(d,k)^",,p.py:4
"""


def test_an_operation_of_several_rows_comes_as_a_whole(tmp_path: Path) -> None:
    """The check reads the stored item, so it does not come before the store, nor amid it."""
    (tmp_path / "stored.csv").write_text(_STORED)
    made = _run(tmp_path, "predict", "stored.csv", "--property", "check-then-act", status=0)
    assert "0 violations of check-then-act," in made.stdout


_CHANGED = """thread,op,kind,target,value,location
0,fork,thread,1,,p.py:1
0,read,structure,d,,p.py:2
0,point,point,"unsafe-iteration.begin(d,i)^",,p.py:2
0,read,structure,d,,p.py:3
0,read,var,d[k],,p.py:3
0,point,point,"unsafe-iteration.next(i)^",,p.py:3
1,rmw,structure,d,,p.py:4
1,point,point,"unsafe-iteration.change(d)^",,p.py:4
"""


def test_the_last_operation_need_not_go_on_as_it_did(tmp_path: Path) -> None:
    """The iterator advances after the change: of the accesses that it made in the trace only the first is certain."""
    (tmp_path / "changed.csv").write_text(_CHANGED)
    made = _run(tmp_path, "predict", "changed.csv", "--property", "unsafe-iteration", "--format", "json", status=1)
    (found,) = [each for each in json.loads(made.stdout)["findings"] if each["kind"] == "unsafe-iteration"]
    assert found["witness"]["checked"]


_READ_LATER = """thread,op,kind,target,value,location
0,fork,thread,1,,p.py:1
1,write,var,d[k],,p.py:2
1,rmw,structure,d,,p.py:2
1,point,point,"data-race-item.write(d,k)^",,p.py:2
0,read,var,d[k],,p.py:3
0,read,var,y,,p.py:4
0,point,point,"data-race-item.read(d,k)^",,p.py:4
"""


def test_two_operations_at_once_have_not_begun(tmp_path: Path) -> None:
    """The second read needs the stored item: it is not next before the store, of which the item is only a part."""
    (tmp_path / "later.csv").write_text(_READ_LATER)
    made = _run(tmp_path, "predict", "later.csv", "--property", "data-race-item", status=0)
    assert "0 violations of data-race-item" in made.stdout


def test_a_recording_without_the_events_of_a_property(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_PROGRAM)
    _run(tmp_path, "record", "shop.py", "--property", "double-close", status=0)
    asked = ("predict", "shop.recording", "--property")
    lacking = _run(tmp_path, *asked, "check-then-act", status=2).stderr
    assert "this trace has no events of check-then-act" in lacking
    assert "mazurka record --property check-then-act shop.py" in lacking
    there = _run(tmp_path, *asked, "double-close", "--require-complete", status=0).stdout
    assert "double-close, double-close-connection: not one of their events happened" in there


_OWN = """
property removed-twice(m):
    event gone(m): call dict.{method}(m, ...)
    pattern: gone(t1) gone(t2)
"""


def test_a_property_whose_event_never_happens(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(_PROGRAM)
    file = tmp_path / "own.mzp"
    file.write_text(_OWN.format(method="popitem"))
    checked = _run(tmp_path, "check", "shop.py", "--property", "own.mzp", "--require-complete", status=1).stdout
    assert "removed-twice: none of its events happened" in checked  # the program fails, however
    (tmp_path / "locked.py").write_text(_LOCKED)
    checked = _run(tmp_path, "check", "locked.py", "--property", "own.mzp", "--format", "json", status=0).stdout
    report = json.loads(checked)
    assert report["verdict"] == "inconclusive"
    assert report["reason"] == "the event gone of removed-twice never happened; is its pointcut as it should be?"
    _run(tmp_path, "record", "shop.py", "--property", "own.mzp", status=0)
    predicted = _run(tmp_path, "predict", "shop.recording", "--property", "own.mzp", "--require-complete", status=3)
    assert "the event gone of removed-twice never happened" in predicted.stdout
    file.write_text(_OWN.format(method="pop"))
    changed = _run(tmp_path, "predict", "shop.recording", "--property", "own.mzp", status=2).stderr
    assert "has the events of removed-twice as they were stated before" in changed
