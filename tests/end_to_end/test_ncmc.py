"""``ncmc`` on Python programs: calls of marked classes are single steps, and reports say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_COUNTER = """\
    import threading

    import mazurka


    @mazurka.linearizable("counter", "inc", "read", "is_zero", state=lambda counter: counter.value)
    class Counter:
        def __init__(self):
            self.value = 0
            self.lock = threading.Lock()

        def inc(self):
            with self.lock:
                self.value += 1

        def read(self):
            with self.lock:
                return self.value

        def is_zero(self):
            with self.lock:
                return self.value == 0


    def go(*functions):
        threads = [threading.Thread(target=each) for each in functions]
        for each in threads:
            each.start()
        for each in threads:
            each.join()


    counter = Counter()
"""

_INCREMENTED = _COUNTER + """\
    go(*[counter.inc] * {count})
    assert counter.read() == {count}
"""  # fmt: skip

_ADDED = """\
    import threading

    import mazurka


    @mazurka.linearizable("concurrent_set", "add", "size", state=lambda bag: frozenset(bag.items))
    class Bag:
        def __init__(self):
            self.items = []
            self.lock = threading.Lock()

        def add(self, item):
            with self.lock:
                if item in self.items:
                    return False
                self.items.append(item)
                return True

        def size(self):
            with self.lock:
                return len(self.items)


    bag = Bag()
    threads = [threading.Thread(target=bag.add, args=(number,)) for number in range({count})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bag.size() == {count}
"""

_CHECKED_THEN = _COUNTER + """\
    def once():
        if counter.is_zero():
            counter.inc()


    go(once, once)
    assert counter.read() == 1
"""  # fmt: skip

_NO_STEP = """\
    import threading

    import mazurka


    @mazurka.linearizable("counter", "inc", "read", state=lambda counter: counter.value)
    class Counter:
        def __init__(self):
            self.value = 0

        def inc(self):
            value = self.value
            self.value = value + 1

        def read(self):
            return self.value


    counter = Counter()
    threads = [threading.Thread(target=counter.inc) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read() == 2
"""


@pytest.mark.sampled
@pytest.mark.parametrize("count", [2, 5, 12])
@pytest.mark.parametrize("source", [_INCREMENTED, _ADDED], ids=["N-COUNTER-INC", "N-SET-ADD"])
def test_calls_that_commute_take_one_execution(shell: Shell, source: str, count: int) -> None:
    report = shell.check(source.format(count=count), "--strategy", "ncmc", status=0)
    assert (report["verdict"], report["executions"]) == ("verified", 1)


def test_a_verdict_names_what_it_takes_for_single_steps(shell: Shell) -> None:
    """A class whose methods are none is called correct, on that condition; its own lost update is another question."""
    shell.write("program.py", _NO_STEP)
    told = shell.run("check", "program.py", "--strategy", "ncmc", status=0).stdout
    assert told.startswith(
        "verified: no order of the threads fails, assuming that Counter is linearizable, as counter says\n"
    )
    assert shell.check(_NO_STEP, "--strategy", "se-mcr", status=1)["verdict"] == "violation"


def test_a_failure_is_replayed_with_the_same_steps(shell: Shell) -> None:
    report = shell.check(_CHECKED_THEN, "--strategy", "ncmc", status=1)
    (failure,) = report["failures"]
    told = shell.run("replay", failure["schedule"], status=1).stdout
    assert "looks at Counter#1 = is_zero() = True" in told
    assert "replayed" in told


def test_a_class_that_shares_state_is_ordinary_code(shell: Shell) -> None:
    source = _COUNTER + "    go(counter.inc, lambda: counter.value)\n"
    shell.write("program.py", source)
    told = shell.run("check", "program.py", "--strategy", "ncmc", status=0).stdout
    assert "note: calls of Counter were explored as ordinary code: objects share state with other code" in told
    assert "linearizable" not in told


def test_a_class_without_a_state_is_ordinary_code(shell: Shell) -> None:
    source = _INCREMENTED.format(count=2).replace(", state=lambda counter: counter.value", "")
    shell.write("program.py", source)
    told = shell.run("check", "program.py", "--strategy", "ncmc", status=0).stdout
    assert "note: calls of Counter were explored as ordinary code: no `state=` gives the state of an object" in told


def test_delayed_stores_are_refused(shell: Shell) -> None:
    shell.write("program.py", _ADDED.format(count=2))
    told = shell.run("check", "program.py", "--strategy", "ncmc", "--memory-model", "tso", status=2).stderr
    assert "calls are single steps under sequential consistency" in told


_CONTAINERS = """\
    import threading
    from collections import Counter, deque

    numbers, places, seen, latest, counts = set(), {{}}, [], deque(), Counter()


    def work(n):
        numbers.add(n)
        places[n] = n
        seen.append(1)
        latest.append(None)
        counts[n] += 1


    threads = [threading.Thread(target=work, args=(n,)) for n in range({count})]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(numbers) == len(places) == len(seen) == len(latest) == {count} and counts[0] == 1
    {last}
"""


def test_operations_on_containers_are_steps_without_a_mark(shell: Shell) -> None:
    shell.write("containers.py", _CONTAINERS.format(count=6, last="assert 3 in numbers"))
    said = shell.run("check", "containers.py", "--strategy", "ncmc").stdout
    assert "containers.py: 1 execution " in said
    for name in ("Counter", "deque", "dict", "list", "set"):
        assert f"operations of a {name} are atomic" in " ".join(said.split())


def test_a_container_that_anything_else_touches_is_ordinary_code(shell: Shell) -> None:
    """Its keys come in the order of the threads."""
    shell.write("ordered.py", _CONTAINERS.format(count=2, last="assert list(places) == [0, 1]"))
    said = shell.run("check", "ordered.py", "--strategy", "ncmc", status=1).stdout
    assert "assert list(places) == [0, 1]" in said
