"""The accesses of a program's operations: the table of the locations that they touch, and the operations that
conflict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from tests.in_progress import in_progress

from mazurka.program.protocol import Plan
from mazurka.program.python.instrument import instrument, sites
from mazurka.program.python.semantics import hooks
from mazurka.program.python.semantics.foreign import explored
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned
from mazurka.trace.event import READS, WRITES, Op

Accesses = list[tuple[str, Any]]


@pytest.fixture(autouse=True)
def _hooks() -> Iterator[None]:
    hooks.install()
    yield
    hooks.uninstall()


def run(source: str, *bodies: str, detail: bool = False) -> Runtime:
    """Run ``source``, then the functions named (``main`` first) each in a thread, one after the other."""
    space: dict[str, Any] = {"__name__": "m"}
    exec(instrument.instrument_source(textwrap.dedent(source), "/m.py"), space)
    running = Runtime(Plan(detail=detail), Learned())
    failed: list[BaseException] = []

    def guarded(name: str) -> None:
        try:
            space[name]()
        except Exception as error:
            failed.append(error)

    def main() -> None:
        for name in bodies:
            running.join(running.fork(lambda name=name: guarded(name), daemon=False))  # type: ignore[misc]

    hooks.restart(running)
    with in_progress(running):
        running.run(main)
        hooks.finish(running)
    if failed:
        raise failed[0]
    return running


def accesses(statement: str, setup: str = "") -> list[str]:
    """The steps of ``statement``, run in a thread of its own, as text: one line per step, its accesses in order."""
    source = setup + "\ndef body():\n" + textwrap.indent(textwrap.dedent(statement), "    ")
    running = run(source, "body")
    numbers: dict[int, int] = {}

    def text(op: Op, target: Any) -> str:
        kind, *rest = target
        if kind in "aisvo":
            rest[0] = numbers.setdefault(rest[0], len(numbers))
        if kind == "c":
            rest = []
        return " ".join([op.name, kind, *map(str, rest)])

    lines = []
    for _task, op, target, _site, _point, _value, more in (tuple(step)[:7] for step in running.log):
        if target[0] not in ("thread", "spin"):
            lines.append("; ".join([text(op, target), *(text(each.op, each.target) for each in more)]))
    return lines


POINT = """
class P:
    shared = 1
    def __init__(self): self.x = 1
    def m(self): return 2
    def never_stored(self): return 2
p = P()
d = {'a': 1}
l = [1, 2, 3]
s = {1}
"""

ALL = "READ s 0; READ i 0 0; READ i 0 1; READ i 0 2"
STEPS = [*(f"READ s 0; READ i 0 {index}" for index in range(3)), "READ s 0"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("p.x", ["READ a 0 x"]),
        ("p.x = 2", ["WRITE a 0 x"]),
        ("del p.x", ["RMW a 0 x"]),
        ("p.x += 1", ["READ a 0 x", "WRITE a 0 x"]),
        ("[p][0].x += 1", ["READ i 0 0; READ s 0", "READ a 1 x", "WRITE a 1 x"]),
        ("p.y, p.x = 1, 2", ["WRITE a 0 y", "WRITE a 0 x"]),
        ("p.never_stored()", []),
        ("p.shared", ["READ a 0 shared; READ a 1 shared"]),
        ("P.shared", ["READ a 0 shared"]),
        ("P.shared += 1", ["READ a 0 shared", "WRITE a 0 shared"]),
        ("p.shared = 1; p.shared", ["WRITE a 0 shared", "READ a 0 shared"]),
        ("getattr(p, 'x'); setattr(p, 'x', 1); hasattr(p, 'q')", ["READ a 0 x", "WRITE a 0 x", "READ a 0 q"]),
        ("p.__dict__['x']; vars(p)['x'] = 1", ["READ a 0 x", "WRITE a 0 x"]),
        ("d['a']", ["READ i 0 a"]),
        ("d.get('a'); 'a' in d", ["READ i 0 a", "READ i 0 a"]),
        ("d['a'] = 1", ["WRITE i 0 a"]),
        ("d['b'] = 1", ["WRITE i 0 b; RMW s 0"]),
        ("d['a'] += 1", ["READ i 0 a", "WRITE i 0 a"]),
        ("d['a' + ''] += 1", ["READ i 0 a", "WRITE i 0 a"]),
        ("del d['a']", ["RMW i 0 a; RMW s 0"]),
        ("d.pop('a', None); d.pop('a', None)", ["RMW i 0 a; RMW s 0", "READ i 0 a"]),
        ("d.setdefault('a', 1); d.setdefault('b', 1)", ["READ i 0 a", "RMW i 0 b; RMW s 0"]),
        ("d.popitem()", ["RMW s 0; RMW i 0 a"]),
        ("d.clear()", ["RMW s 0; WRITE i 0 a"]),
        ("d.update({'b': 1})", ["RMW s 0; WRITE i 0 b; READ s 1; READ i 1 b"]),
        ("len(d)", ["READ s 0"]),
        ("list(d)", ["READ s 0"]),
        ("list(d.values())", ["READ s 0; READ i 0 a"]),
        ("for k in d: pass", ["READ s 0"] * 3),
        ("for k, v in d.items(): pass", ["READ s 0", "READ s 0; READ i 0 a", "READ s 0"]),
        ("[k for k in d if k]", ["READ s 0"] * 3),
        ("if d: pass", ["READ s 0"]),
        ("not d; d and 1", ["READ s 0"] * 2),
        ("d == {'a': 1}", ["READ s 0; READ i 0 a; READ s 1; READ i 1 a"]),
        ("f'{d}'; str(d)", ["READ s 0; READ i 0 a"] * 2),
        ("{**d}; [*d]", ["READ s 0; READ i 0 a", "READ s 0"]),
        ("(a,) = d", ["READ s 0"]),
        ("l[0]", ["READ i 0 0; READ s 0"]),
        ("l[-1]", ["READ i 0 2; READ s 0"]),
        ("l[0] = 5", ["WRITE i 0 0; READ s 0"]),
        ("l[1:]", [ALL]),
        ("l[:] = []", ["RMW s 0; READ s 1"]),
        ("l.append(4)", ["RMW s 0"]),
        ("l.append(len(l))", ["READ s 0", "RMW s 0"]),
        ("l.sort(key=lambda x: -x)", ["RMW s 0"]),
        ("x = l; x += [1]", ["RMW s 0; READ s 1; READ i 1 0"]),
        ("for x in l: pass", STEPS),
        ("for i, x in enumerate(l): pass", STEPS),
        ("2 in l; l + l; l == l", [ALL, ALL]),
        ("it = iter(l); next(it); next(it)", STEPS[:2]),
        ("1 in s", ["READ i 0 1"]),
        ("s.add(1); s.add(2)", ["READ i 0 1", "RMW i 0 2; RMW s 0"]),
        ("s.discard(5); s.remove(1)", ["READ i 0 5", "RMW i 0 1; RMW s 0"]),
        ("import heapq; heapq.heappush(l, 1)", ["RMW s 0"]),
        ("import copy; copy.copy(d)", ["READ s 0; READ i 0 a"]),
    ],
)
def test_accesses_of(statement: str, expected: list[str]) -> None:
    assert accesses(statement, POINT) == expected


def test_variables_of_a_module() -> None:
    setup = "x = 0\nconstant = 1\ndef change():\n    global x\n    x += 1\n"
    assert accesses("x, constant, change", setup) == ["READ g m x"]
    assert accesses("change()", setup) == ["READ g m x", "WRITE g m x"]


def test_closures_that_change() -> None:
    statement = """
        n = 0
        fixed = 1
        def bump():
            nonlocal n
            n += fixed
        bump()
        """
    assert accesses(statement) == ["WRITE c", "READ c", "WRITE c"]


def test_default_dictionaries_create_what_is_missing() -> None:
    setup = "from collections import defaultdict\nd = defaultdict(list)\n"
    assert accesses("d['a']", setup) == ["RMW i 0 a; RMW s 0"]
    assert accesses("d['a'].append(1)", setup)[0] == "RMW i 0 a; RMW s 0"


def test_a_copy_takes_what_is_inside_as_it_is() -> None:
    setup = "import copy\nclass C: pass\nc, b = C(), C()\nc.x, b.c = {'a': 1}, c\nl = [c]\nlong = (l, c)\n"
    assert accesses("copy.copy(l)", setup) == ["READ s 0; READ i 0 0"]
    assert accesses("copy.copy(b)", setup) == ["READ a 0 c; READ s 1"]
    assert accesses("copy.copy(long)", setup) == []
    assert "READ a 1 x" in accesses("copy.deepcopy(l)", setup)[0]
    own = setup + "class D:\n    def __getstate__(self): return vars(self)\nd = D(); d.c = c\n"
    assert "READ a 2 x" in " ".join(accesses("copy.copy(d)", own))  # however it is copied


def test_equal_keys_are_one_location() -> None:
    setup = "from collections import namedtuple\nN = namedtuple('N', 'a')\nd = {1: 0, (1, 'x'): 0, (2,): 0}\nclass K:\n"
    setup += "    def __eq__(self, other): return True\n    def __hash__(self): return 1\n"
    assert accesses("d[1]; d[True]; d[1.0]", setup)[0] == "READ i 0 1"
    running = run(
        setup
        + "def f():\n    d[1]; d[True]; d[1.0]; d[(1, 'x')]; d[(1.0, 'x')]; d[N(2)]; d[(2,)]; d.get(K()); d.get(K())",
        "f",
    )
    targets = [step[2] for step in running.log if step[2][0] == "i"]
    assert targets[0] == targets[1] == targets[2]
    assert targets[3] == targets[4] != targets[0]
    assert targets[5] == targets[6]
    assert targets[7] == targets[8]


CONFLICTS = [
    ("d['a']", "d['a'] = 2", True),
    ("d['a'] = 1", "d['b'] = 2", False),
    ("d.get('new')", "d['new'] = 1", True),
    ("d['new'] = 1", "d['newer'] = 1", True),
    ("list(d)", "d['a'] = 5", False),
    ("list(d.values())", "d['a'] = 5", True),
    ("for k in d: pass", "d['new'] = 1", True),
    ("d['a']", "d['new'] = 1", False),
    ("d['a']", "d.clear()", True),
    ("d.get('c')", "d.update({'c': 1})", True),
    ("l[0]", "l.append(1)", True),
    ("l[0]", "l[1] = 1", False),
    ("l[0]", "l[0] = 1", True),
    ("sum(l)", "l[1] = 1", True),
    ("l.sort()", "l[1] = 1", True),
    ("1 in s", "s.add(7)", False),
    ("7 in s", "s.add(7)", True),
    ("1 in s", "s.clear()", True),
    ("len(s)", "s.add(7)", True),
    ("p.x", "p.y = 1", False),
    ("p.x", "vars(p)['x'] = 1", True),
    ("p.shared", "P.shared = 1", True),
    ("P.__dict__['shared']", "P.shared = 1", True),
    ("vars(P).get('shared')", "P.shared = 1", True),
    ("vars(P)['shared']", "P.other = 1", False),
    ("hasattr(P, 'new')", "P.new = 1", True),
    ("getattr(Q, 'new', 0)", "P.new = 1", True),
    ("Q.shared", "Q.shared = 2", True),
    ("Q.shared", "P.shared = 2", True),
    ("P.shared", "Q.shared = 2", False),
    ("r.shared", "Q.shared = 2", True),
    ("r.m()", "r.m = None", True),
    ("o.move_to_end('a')", "list(o)", True),
    ("q.popleft()", "q.append(1)", True),
    ("b[0] = 1", "bytes(b)", True),
    ("c['z'] += 1", "c['y'] += 1", True),
    ("dict.fromkeys(d)", "d['z'] = 1", True),
    ("[*type(d).fromkeys(d)]", "d['z'] = 1", True),
    ("str.maketrans(d)", "d['z'] = 1", True),
    ("c['z'] += 1", "c['a'] += 1", False),
    ("c['b'] += 1", "c['a'] += 1", False),
]


@pytest.mark.parametrize(("one", "other", "expected"), CONFLICTS)
def test_conflicts(one: str, other: str, expected: bool) -> None:
    """Two operations conflict iff one writes what the other touches."""
    setup = "from collections import Counter, OrderedDict, deque\n" + POINT
    setup += "d = {'a': 1, 'b': 2}\no = OrderedDict(a=1)\nq = deque([1])\nb = bytearray(b'a')\nc = Counter('ab')\n"
    setup += "class Q(P): pass\nr = Q()\n"
    running = run(f"{setup}def f():\n    {one}\ndef g():\n    {other}\n", "f", "g")
    touched: list[dict[Any, bool]] = [{}, {}]
    for task, op, target, _site, _point, _value, more in (tuple(step)[:7] for step in running.log):
        if target[0] != "thread":
            for each_op, each in [(op, target), *((access.op, access.target) for access in more)]:
                space = touched[task - 1]
                space[each] = space.get(each, False) or WRITES[each_op]
    shared = touched[0].keys() & touched[1].keys()
    assert any(touched[0][each] or touched[1][each] for each in shared) is expected


def test_values_and_names_in_detail() -> None:
    source = """
        class Account:
            def __init__(self): self.v = 1
        class Bank:
            def __init__(self): self.accounts = {'alice': Account()}
        bank = Bank()
        def f():
            bank.accounts['alice'].v += 1
        """
    running = run(source, "f", detail=True)
    steps = [tuple(step) for step in running.log if step[2][0] in "ai"]
    assert [running.names[step[2]] for step in steps] == [
        "bank.accounts",
        "bank.accounts['alice']",
        "bank.accounts['alice'].v",
        "bank.accounts['alice'].v",
    ]
    assert [step[5] for step in steps][2:] == ["1", "2"]
    assert sites.location(steps[-1][3]).line == 8  # type: ignore[union-attr]


def test_numbers_do_not_depend_on_detail() -> None:
    source = """
        class A: pass
        a = [A(), A()]
        def f():
            for x in a: x.v = {}; x.v['k'] = 1
            print(f'{a[0].v}', end='')
        """
    plain, detailed = (run(source, "f", "f", detail=detail) for detail in (False, True))
    assert [tuple(step)[1:3] for step in plain.log] == [tuple(step)[1:3] for step in detailed.log]


def test_what_is_opaque_is_counted() -> None:
    """Only what is shared is, and only where it is not known what is done with it."""
    source = """
        import copy, json, tomllib
        shared, own = {'a': 1}, {'b': 1}
        def f():
            shared['a'] = 2
        def g():
            json.dumps(shared); copy.copy(shared)
            for each in (own, shared):
                try:
                    tomllib.loads(each)
                except Exception:
                    pass
        """
    running = run(source, "f", "g")
    assert explored(running.points) == ["copy", "json", "tomllib._parser"]
    assert not running.untracked


def test_a_constant_assigned_from_another_module_is_counted() -> None:
    import types

    module = types.ModuleType("other")
    module.__file__ = "/other.py"
    exec(instrument.instrument_source("limit = 1\ndef get():\n    return limit\n", "/other.py"), module.__dict__)
    space: dict[str, Any] = {"__name__": "m", "other": module}
    exec(instrument.instrument_source("def f():\n    other.limit = 2\n", "/m.py"), space)
    running = Runtime(Plan(), Learned())
    hooks.restart(running)
    with in_progress(running):
        running.run(lambda: running.join(running.fork(space["f"], daemon=False)))
        hooks.finish(running)
    assert list(running.untracked) == ["assignment to other.limit, which its module takes for a constant at /m.py:2"]
    assert ("g", "other", "limit") in [step[2] for step in running.log]


def test_thread_locals_are_nobody_elses_business() -> None:
    running = run(
        "import threading\nlocal = threading.local()\ndef f():\n    local.x = 1\n    local.x += 1\n", "f", "f"
    )
    assert not [step for step in running.log if step[2][0] == "a"]


def test_hooks_return_at_once_outside_a_run_and_in_a_lone_thread() -> None:
    space: dict[str, Any] = {"__name__": "m"}
    exec(instrument.instrument_source("class A: pass\na = A(); a.x = 1\ndef f():\n    a.x += 1\n", "/m.py"), space)
    space["f"]()
    running = Runtime(Plan(), Learned())
    with in_progress(running):
        running.run(space["f"])
    assert not [step for step in running.log if step[2][0] == "a"]
    assert space["a"].x == 3


def test_branches_and_calls_are_events_only_when_asked_for() -> None:
    source = "def g(x):\n    if x > 1: return x\n    return 0\ndef f():\n    g(2)\n"
    space: dict[str, Any] = {"__name__": "m"}
    options = instrument.EventOptions(branches=True, calls=True)
    exec(instrument.instrument_source(source, "/m.py", options), space)
    running = Runtime(Plan(), Learned())
    hooks.restart(running)
    with in_progress(running):
        running.run(lambda: running.join(running.fork(space["f"], daemon=False)))
        hooks.finish(running)
    names = [step[1].name for step in running.log]
    assert [name for name in names if name in ("CALL", "RETURN", "BRANCH")] == ["CALL", "CALL", "BRANCH", "RETURN"]
    assert not any(READS[step[1]] or WRITES[step[1]] for step in running.log if step[2][0] in ("function", "branch"))
