"""Operations on containers that run code of the program: the steps that other threads may make meanwhile are explored.

Each program has an outcome that CPython only gives if the other thread moves during the operation (its assertion names
it), or none that fails.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_ITEM = """\
class Item:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return hash(self.number)

    def __lt__(self, other):
        return self.number < other.number
"""

_RUN = """\
threads = [threading.Thread(target=each) for each in (one, two)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def _program(shared: str, one: str, two: str, end: str) -> str:
    functions = [f"def {name}():\n{textwrap.indent(body, '    ')}\n" for name, body in (("one", one), ("two", two))]
    return "\n".join(
        ["import heapq, queue, threading", "from collections import defaultdict", _ITEM, shared, *functions, _RUN, end]
    )


_SEEN_IN_THE_MIDST = {
    "a key function": (
        "numbers, seen = [3, 1], []",
        "numbers.sort(key=lambda number: -number)",
        "seen.append(len(numbers))",
        "assert seen == [2], 'empty while it is sorted'",
    ),
    "an element's __eq__": (
        "items = [Item(1), Item(2)]",
        "items.remove(Item(2))",
        "items.pop(0)",
        "",
    ),
    "an element's __eq__ in a search": (
        "items, found = [Item(1), Item(2)], []",
        "found.append(Item(2) in items)",
        "items.pop(0)",
        "assert found == [True]",
    ),
    "an element's __lt__": (
        "heap = [Item(5)]",
        "heapq.heappush(heap, Item(1))",
        "heapq.heappush(heap, Item(2))",
        "",
    ),
    "a key's __hash__": (
        "asked = [0]\nclass Key(Item):\n    def __hash__(self):\n        asked[0] += 1\n        return 1\nprices = {}",
        "prices[Key(1)] = 1",
        "prices[Key(2)] = 2",
        "assert asked == [2], 'a count is lost'",
    ),
    "a generator": (
        "numbers, seen = [], []",
        "numbers.extend(number for number in range(2))",
        "seen.append(len(numbers))",
        "assert seen != [1], 'one of two is there'",
    ),
    "a generator under a name": (
        "numbers, seen = [], []\ndef two_numbers():\n    yield 1\n    yield 2\n",
        "both = two_numbers()\nnumbers.extend(both)",
        "seen.append(len(numbers))",
        "assert seen != [1], 'one of two is there'",
    ),
    "a generator that is added": (
        "class Box:\n    numbers = []\nseen = []",
        "Box.numbers += (number for number in range(2))",
        "seen.append(len(Box.numbers))",
        "assert seen != [1], 'one of two is there'",
    ),
}

_WHOLE = {
    "a factory in C": (
        "groups = defaultdict(list)",
        "groups['a'].append(1)",
        "groups['a'].append(2)",
        "assert len(groups['a']) == 2",
    ),
    "under a lock": (
        "heap, lock = [Item(5)], threading.Lock()",
        "with lock:\n    heapq.heappush(heap, Item(1))",
        "with lock:\n    heapq.heappush(heap, Item(2))",
        "assert heap[0].number == 1 and len(heap) == 3",
    ),
    "equal keys": (
        "prices = {}",
        "prices[Item(1)] = 1",
        "prices[Item(1)] = 2",
        "assert len(prices) == 1",
    ),
    "a queue": (
        "line = queue.PriorityQueue()",
        "line.put(Item(2))",
        "line.put(Item(1))",
        "assert [line.get().number for _ in range(2)] == [1, 2]",
    ),
}


def _keeps_the_first() -> bool:
    """Whether a dictionary keeps a value that was stored while its default's factory ran, as newer versions do."""
    groups: Any = defaultdict(lambda: groups.setdefault("a", 1) + 1)
    return bool(groups["a"] == 1)


(_WHOLE if _keeps_the_first() else _SEEN_IN_THE_MIDST)["a default's factory"] = (
    "def fresh():\n    return []\ngroups = defaultdict(fresh)",
    "groups['a'].append(1)",
    "groups['a'].append(2)",
    "assert len(groups['a']) == 2, 'the second list replaces the first'",
)


@pytest.mark.sampled
@pytest.mark.parametrize("parts", _SEEN_IN_THE_MIDST.values(), ids=_SEEN_IN_THE_MIDST.keys())
def test_what_happens_in_the_midst_is_found_and_replayed(shell: Shell, parts: tuple[str, str, str, str]) -> None:
    report = shell.check(_program(*parts), status=1)
    (failure,) = report["failures"]
    assert shell.run("replay", failure["schedule"], status=1).stdout.startswith("reproduced")


@pytest.mark.parametrize("parts", _WHOLE.values(), ids=_WHOLE.keys())
def test_what_nobody_can_see_is_verified(shell: Shell, parts: tuple[str, str, str, str]) -> None:
    assert shell.check(_program(*parts), status=0)["verdict"] == "verified"


def test_a_function_that_does_not_tell_is_counted(shell: Shell) -> None:
    shell.write("orders.py", "def downwards(number):\n    return -number\n")
    shared = "from orders import downwards\nnumbers = [3, 1]"
    report = shell.check(_program(shared, "numbers.sort(key=downwards)", "numbers.append(2)", ""), status=0)
    assert report["verdict"] == "inconclusive"
    assert any("downwards" in what for what in report["untracked"])


@pytest.mark.parametrize(
    "binding",
    [
        "for last in (1, 2): pass",
        "other, last = 0, 1",
        "[last, *other] = (1, 0)",
        "(other := 5); last = other = 1",
    ],
)
def test_a_closure_variable_that_is_one_of_several_targets(shell: Shell, binding: str) -> None:
    report = shell.check(_BOUND.replace("BINDING", binding), status=1)
    assert report["failures"][0]["kind"] == "assertion"


def test_what_a_statement_binds_before_it_can_be_told_is_not_verified(shell: Shell) -> None:
    report = shell.check(_BOUND.replace("BINDING", "import math as last"), status=0)
    assert report["verdict"] == "inconclusive"
    assert any("import" in name for name in report["untracked"])


_BOUND = """\
    import threading


    def main():
        last = 0
        seen = []

        def write():
            nonlocal last
            BINDING

        def read():
            seen.append(last)

        threads = [threading.Thread(target=target) for target in (write, read)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen != [1]


    main()
"""


@pytest.mark.parametrize(
    "operation",
    [
        "Item(1) == shared.item",
        "not shared.item",
        "-shared.item",
        "1 if shared.item else 2",
        "Item(1) == (item := shared.item)",
    ],
)
def test_a_look_up_is_over_when_an_operator_runs_code(shell: Shell, operation: str) -> None:
    setup = "class Shared: pass\nshared = Shared()\nshared.item = Item(1)\n"
    setup += "Item.__bool__ = Item.__neg__ = lambda self: self.number > 1\n"
    program = _program(setup, f"value = {operation}", "shared.item = Item(1)", "")
    assert shell.check(program, "--strategy", "dpor", status=0)["executions"] == 4  # two find points
