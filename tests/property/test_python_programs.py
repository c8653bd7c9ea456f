"""Strategies reach the outcomes of ``dfs``, on random Python programs and on the smallest ones that once differed.

``make bench ARGS=differential`` draws thousands.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.differential import compared, difference, loaded, reached, shrunk
from benchmarks.real_threads import HANGS, outcomes
from tests.oracle.python_programs import PRELUDE, THEMES, Program, drawn

_STRATEGIES = ("mcr", "se-mcr", "dpor")

#: The shared objects, the operations of the threads, the number of outcomes, and the failure of a thread, or "blocked".
KEPT: dict[str, tuple[str, tuple[str, ...], int, str]] = {
    "an event set and cleared by two": ("e = threading.Event()", ("e.wait()", "e.set()", "e.clear()"), 1, "blocked"),
    "an event set and cleared": ("e = threading.Event()", ("e.wait()", "e.set(); e.clear()"), 1, "blocked"),
    "an event pulsed": ("e = threading.Event()", ("e.wait()", "e.set(); e.clear(); e.set(); e.clear()"), 1, "blocked"),
    "an event looked at first": ("e = threading.Event()", ("e.wait()", "e.is_set(); e.set(); e.clear()"), 1, "blocked"),
    "two wait for one event": ("e = threading.Event()", ("e.wait(); e.clear()",) * 2 + ("e.set()",), 1, "blocked"),
    "an attribute deleted by two": ("c = Box()", ("c.x = 1; del c.x",) * 2, 1, "AttributeError"),
    "a slot deleted by two": ("c = Pair()", ("c.x = 1; del c.x",) * 2, 1, "AttributeError"),
    "an attribute deleted by name": ("c = Box()", ("c.x = 1; delattr(c, 'x')",) * 2, 1, "AttributeError"),
    "a global deleted by two": ("", ("global H; H = 1; del H",) * 2, 1, "NameError"),
    "a closure variable deleted by two": ("n = 0", ("nonlocal n; n = 1; del n",) * 2, 1, "NameError"),
    "equal keys": ("d = {1: 0}", ("d[1] += 1", "d[Decimal(1)] += 1"), 2, ""),
    "equal keys of other kinds": ("d = {True: 0}", ("d[1.0] += 1", "d[Fraction(1)] += 1"), 2, ""),
    "members of an enumeration": ("d = {Kind.A: 0}", ("d[Kind.A] += 1",) * 2, 2, ""),
    "keys of a data class": ("d = {Point(1): 0}", ("d[Point(1)] += 1",) * 2, 2, ""),
    "keys that compare themselves": ("d = {Odd(1): 0}", ("d[Odd(1)] = 1", "d[Odd(1)] = 2"), 2, ""),
    "sets as keys": ("d = {frozenset([1]): 0}", ("d[frozenset([1.0])] += 1", "d[frozenset([True])] += 1"), 2, ""),
    "a key taken before it is stored": ("d = {'a': 0}", ("d['a'] = 1; d == {'a': 1}", "d.popitem()"), 2, ""),
    "an element removed by two": ("s = {1}", ("s.remove(1)", "s.remove(1); s.add(2)"), 2, "KeyError"),
    "stores under one new key": ("d = {}", ("d[1] = 1", "d.get(1); d[1] = 2", "1 in d"), 2, ""),
    "a date counted up": ("d = {1: datetime.date(2020, 1, 1)}", ("d[1] += datetime.timedelta(1)",) * 2, 2, ""),
    "code of the library explored again": ("d = Counter()", ("d.subtract(a=2)", "d.update(a=0)"), 2, ""),
    "a lock given back by another": (
        "lock = threading.Lock(); c = Box(); c.y = 0",
        ("lock.acquire(); c.y", "c.y += 1", "c.y; lock.release()"),
        1,
        "RuntimeError",
    ),
    "a lock given back though not taken": (
        "lock = threading.Lock()",
        ("lock.acquire(False); lock.release()",) * 2,
        1,
        "RuntimeError",
    ),
    "a lock handed on": ("lock = threading.Lock(); lock.acquire()", ("lock.acquire()", "lock.release()"), 1, ""),
    "a notification while another has the lock": (
        "cond = threading.Condition(threading.Lock())",
        ("cond.notify()", "with cond: cond.wait()"),
        1,  # the lock is looked at while the other has it, and the waiters when it waits
        "RuntimeError",
    ),
    "a peer joined that may not have been started": ("", ("ts[1].join()", "pass"), 1, "RuntimeError"),
    "a thread started beside its join": (
        "t = threading.Thread(target=lambda: None)",
        ("t.start()", "t.join()"),
        1,
        "RuntimeError",
    ),
    "a class's attribute gone and back": (
        "K = type('K', (), {'x': 0}); k = K(); l = []",
        ("del K.x; l.append(hasattr(k, 'x'))", "K.x = 2; l.append(hasattr(k, 'x'))"),
        4,
        "",
    ),
    "an attribute deleted that hides the class's": (
        "K = type('K', (), {'x': 0}); k = K(); l = []",
        ("k.x = 1; K.x = 1; del k.x; l.append(hasattr(K, 'x'))", "del K.x; l.append(getattr(k, 'x', None))"),
        8,
        "",
    ),
    "attributes listed that hide the class's": (
        "K = type('K', (), {'x': 0}); k = K(); l = []",
        ("k.x = 1", "l.append(sorted(vars(k)))"),
        2,
        "",
    ),
    "a set popped whose last element another discards": (
        "s = {'a'}; l = []",
        ("nonlocal s; l.append(s.pop())", "nonlocal s; s.discard('a')"),
        2,
        "KeyError",
    ),
    "threads counted": ("l = []", ("l.append(threading.active_count())", "pass"), 2, ""),
}


def scenario_of(shared: str, threads: tuple[str, ...]) -> str:
    """A program of these threads that returns the final state."""
    lines = [PRELUDE, "", "def scenario():", f"    {shared or 'pass'}"]
    for number, thread in enumerate(threads):
        head = [f"        {part}" for part in thread.split("; ") if part.startswith(("global", "nonlocal"))]
        rest = "; ".join(part for part in thread.split("; ") if not part.startswith(("global", "nonlocal")))
        lines += [f"    def t{number}():", *head, f"        {rest}"]
    lines += [
        f"    ts = [{', '.join(f'threading.Thread(target=t{number})' for number in range(len(threads)))}]",
        "    for t in ts: t.start()",
        "    for t in ts: t.join()",
        "    left = {name: value for name, value in locals().items() if name in ('d', 's', 'l')}",
        "    return repr({name: list(map(str, getattr(x, 'values', lambda: x)())) for name, x in left.items()})",
    ]
    return "\n".join(lines) + "\n"


class Written(Program):
    """A program given as text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__((), (), ())
        object.__setattr__(self, "text", text)

    def source(self) -> str:
        return self.text  # type: ignore[no-any-return,attr-defined]


@pytest.mark.sampled
@pytest.mark.parametrize("name", KEPT)
def test_kept_programs(name: str, tmp_path: Path) -> None:
    shared, threads, count, failure = KEPT[name]
    program = Written(scenario_of(shared, threads))
    scenario = loaded(program, tmp_path)
    known = reached(scenario, "dfs", most=1_000)
    assert known.complete
    assert known.wrong == ""
    assert len(known.returned) == count
    assert bool(known.failures) == bool(failure)
    assert not failure or failure in {part for identity in known.failures for part in identity[:2]}
    for strategy in _STRATEGIES:
        assert difference(reached(scenario, strategy), known) == "", strategy


_SHOWN_AT_ONCE = """\
import threading
def scenario():
    l = [[0], [1]]
    def exchange():
        sorted(l)
        l[0], l[-1] = l[-1], l[0]
    def store():
        l[0] = [2]
    ts = [threading.Thread(target=exchange), threading.Thread(target=store)]
    for t in ts: t.start()
    for t in ts: t.join()
    return repr(l)
"""


def test_a_step_looks_into_objects_that_it_reads(tmp_path: Path) -> None:
    scenario = loaded(Written(_SHOWN_AT_ONCE), tmp_path)
    known = reached(scenario, "dfs")
    assert known.returned == {repr(each) for each in ("[[1], [0]]", "[[1], [2]]", "[[2], [0]]")}
    for strategy in ("mcr", "se-mcr", "ncmc"):
        assert difference(reached(scenario, strategy), known) == "", strategy


@pytest.mark.sampled
@pytest.mark.parametrize(
    "number",
    [
        6,  # a list that a step makes, and others that threads make in runs without that step
        55,  # an item of a list that is perhaps not there
        57,  # a dictionary and its copy
        135,  # keys that are objects
        158,
        3049,  # threads that go on after the code of the script
    ],
)
def test_searches_by_sources_decide_what_dfs_decides(number: int, tmp_path: Path) -> None:
    found = compared(drawn(number), ("mcr", "dpor-rf"), tmp_path)
    assert found.made
    assert (found.differ, found.undecided) == ({}, {})


@pytest.mark.sampled
@pytest.mark.parametrize("number", [30, 45])  # a deque, and a list, whose items a step reads that no other has touched
def test_searches_by_sources_are_unsure_of_items_that_nobody_has_touched(number: int, tmp_path: Path) -> None:
    found = compared(drawn(number), ("mcr", "dpor-rf", "dpor"), tmp_path)
    assert found.differ == {}
    assert found.undecided.keys() == {"mcr", "dpor-rf"}  # a change of the container reads what was touched before


@pytest.mark.sampled
@pytest.mark.parametrize("theme", THEMES)
def test_strategies_agree(theme: str, tmp_path: Path) -> None:
    program = drawn(1, (theme,))
    assert compared(program, ("mcr",), tmp_path).differ == {}, program.source()


def test_programs_are_drawn_alike_and_shrink() -> None:
    for number in range(300):
        program = drawn(number)
        assert program == drawn(number)
        compile(program.script(), "program.py", "exec")
        sizes = [sum(map(len, each.threads)) for each in program.smaller()]
        assert program.shape is not None or set(sizes) <= {sum(map(len, program.threads)) - 1}


def test_what_is_shrunk_still_differs() -> None:
    program = next(each for each in map(drawn, range(0, 100, 3)) if sum(map(len, each.threads)) > 3)
    least = shrunk(program, lambda each: any(each.threads) and each.threads[-1] == program.threads[-1])
    assert least.threads == program.threads[-1:]


def test_real_threads_do_what_dfs_says(tmp_path: Path) -> None:
    program = Written(scenario_of("d = {1: 0}", ("d[1] += 1", "d[Decimal(1)] += 1")))
    known = reached(loaded(program, tmp_path), "dfs")
    real = outcomes(program.source(), 5)
    assert real.failed == set()
    assert real.returned
    assert {repr(each) for each in real.returned} <= known.returned


def test_real_threads_that_block_are_noticed() -> None:
    program = Written(scenario_of("e = threading.Event()", ("e.wait()",)))
    assert outcomes(program.source(), 1, patience=0.5).returned == {HANGS}
