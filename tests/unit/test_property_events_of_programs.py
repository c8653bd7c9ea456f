"""Python programs report the events of properties: which operations are events, about which objects, and when."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stated_properties import UNSAFE_ITERATION, accesses, calls, recorded, stated, word

from mazurka.properties.property import Anything, Equal, Moment, Named, OfType, PointcutKind, Property


def _of(name: str, *names: str, **how: object) -> Property:
    """A property with one event for calls."""
    return stated("p", [calls(name, *names, **how)], word(name))  # type: ignore[arg-type]


def _events(source: str, folder: Path, *properties: Property) -> list[str]:
    made = recorded(source, folder, *properties)
    assert not made.error
    assert not made.untracked
    return [event for _, event, _ in made.events]


def test_an_iteration_while_another_thread_adds(tmp_path: Path) -> None:
    """FIG. 8 of the patent."""
    made = recorded(
        """
        import threading

        shared = []

        def second():
            shared.append("B")
            for _ in shared:
                pass

        shared.append("A")
        thread = threading.Thread(target=second)
        thread.start()
        for _ in shared:
            pass
        thread.join()
        """,
        tmp_path,
        UNSAFE_ITERATION,
    )
    first = [event for thread, event, _ in made.events if thread == "0"]
    second = [event for thread, event, _ in made.events if thread == "0.1"]
    assert first[:2] == ["update(list#1)", first[1]]
    assert first[1].startswith("create(list#1, list_iterator#")
    assert second[0] == "update(list#1)"
    assert second[1].startswith("create(list#1, list_iterator#")
    assert len(set(first[2:])) == len(set(second[2:])) == 1
    assert {together for _, event, together in made.events if event.startswith("next")} == {True}
    assert ("0.1", "update(list#1)", True) in made.events


#: A program, and the events that `dict.pop`, with its dictionary and key, has in it.
_POPS: dict[str, tuple[str, list[str]]] = {
    "method": ("d = {1: 2}; d.pop(1)", ["pop(dict#1, 1)"]),
    "alias of the object": ("d = {1: 2}; e = d; e.pop(1); d.pop(1, None)", ["pop(dict#1, 1)"] * 2),
    "subclass": ("class D(dict): pass\nd = D({1: 2}); d.pop(1)", ["pop(D#1, 1)"]),
    "overridden": (
        "class D(dict):\n    def pop(self, key, *more):\n        return super().pop(key)\nd = D({1: 2}); d.pop(1)",
        ["pop(D#1, 1)"] * 2,
    ),
    "by the class": ("d = {1: 2}; dict.pop(d, 1)", ["pop(dict#1, 1)"]),
    "raising": ("d = {}\ntry: d.pop(1)\nexcept KeyError: pass", ["pop(dict#1, 1)"]),
    "nested": ("d, e = {1: 2}, {2: 3}; e.pop(d.pop(1))", ["pop(dict#1, 1)", "pop(dict#2, 2)"]),
    "in its own arguments": ("d = {1: 2, 2: 3}; d.pop(d.pop(1))", ["pop(dict#1, 1)", "pop(dict#1, 2)"]),
    "argument raises": ("d = {}\ntry: d.pop(1 // 0)\nexcept ZeroDivisionError: pass\nd.pop(2, 0)", ["pop(dict#1, 2)"]),
    "walrus": ("d = {1: 2, 2: 3}; d.pop((k := 1)); d.pop(k := 2)", ["pop(dict#1, 1)", "pop(dict#1, 2)"]),
    "comprehension": ("d = {1: 2, 2: 3}; [d.pop(k) for k in (1, 2)]", ["pop(dict#1, 1)", "pop(dict#1, 2)"]),
    "generator": ("d = {1: 2, 2: 3}; list(d.pop(k) for k in (1, 2))", ["pop(dict#1, 1)", "pop(dict#1, 2)"]),
    "lambda": ("d = {1: 2}; (lambda: d.pop(1))()", ["pop(dict#1, 1)"]),
    "class body": ("d = {1: 2}\nclass C:\n    x = d.pop(1)", ["pop(dict#1, 1)"]),
    "class comprehension": ("class C:\n    d = {1: 2}\n    x = [e.pop(1) for e in [d]]", ["pop(dict#1, 1)"]),
    "keywords": ("d = {1: 2}; d.pop(*[1], *[None])", ["pop(dict#1, 1)"]),
    "other types": ("l = [1]; l.pop(); {1}.pop()", []),
    "recursion": (
        "def f(n):\n    d = {n: 0}\n    return d.pop(n) if not n else d.pop(f(n - 1) or n)\nf(2)",
        ["pop(dict#1, 0)", "pop(dict#2, 1)", "pop(dict#3, 2)"],
    ),
    "async": (
        "import asyncio\nd = {1: 2}\nasync def f(k):\n    return k\nasync def main():\n    d.pop(await f(1))\n"
        "asyncio.run(main())",
        ["pop(dict#1, 1)"],
    ),
    "decorator": ("d = {1: 2}\ndef f(g): return g\n@f\ndef g(): d.pop(1)\ng()", ["pop(dict#1, 1)"]),
    "default": ("d = {1: 2}\ndef g(x=d.pop(1)): pass", ["pop(dict#1, 1)"]),
    "conditional": ("d = {1: 2}\n(d if 1 else 0).pop(1) if d else 0", ["pop(dict#1, 1)"]),
    "private": (
        "class C:\n    def __init__(self):\n        self.__d = {1: 2}; self.__d.pop(1)\nC()",
        ["pop(dict#1, 1)"],
    ),
    "equal keys": (
        "d = {1: 2}; d.pop(True); d.pop(1.0, 0); d.pop('1', 0)",
        ["pop(dict#1, 1)"] * 2 + ["pop(dict#1, '1')"],
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", _POPS)
def test_calls_of_a_method(case: str, tmp_path: Path) -> None:
    source, expected = _POPS[case]
    pops = _of("pop", "dict.pop", operands=[Named("d"), Named("k"), Anything(more=True)])
    assert _events(source, tmp_path, pops) == expected
    threaded = "import threading\ndef run():\n" + "".join(f"    {line}\n" for line in source.splitlines())
    (tmp_path / "threaded").mkdir()
    threaded += "thread = threading.Thread(target=run); thread.start(); thread.join()"
    assert _events(threaded, tmp_path / "threaded", pops) == expected


#: A program, an event of it, and the events that the program reports.
_CASES: dict[str, tuple[str, Property, list[str]]] = {
    "function": (
        "def f(a, b=2, *c, d=4): return a\nf(1); f(1, 3); f(b=5, a=1); f(1, 2, 3)",
        _of("call", "shop.f", operands=[Named("a"), Named("b"), Anything(more=True)]),
        ["call(1, 2)", "call(1, 3)", "call(1, 5)", "call(1, 2)"],
    ),
    "function's result": (
        "def f(a):\n    if a: return a\n    raise ValueError(a)\nf(1)\ntry: f(0)\nexcept ValueError: pass\nf(2)",
        _of("call", "*.f", moment=Moment.RETURNING, result=Named("r")),
        ["call(1)", "call(2)"],
    ),
    "function that falls off its end": (
        "def f(a): pass\nf(1)",
        _of("call", "*.f", operands=[Named("a")], moment=Moment.RETURNING, result=Equal(None)),
        ["call(1)"],
    ),
    "function that raises": (
        "def f(a): raise ValueError(a)\ntry: f(1)\nexcept ValueError: pass",
        _of("call", "*.f", operands=[Named("a")], moment=Moment.RAISING, result=OfType("LookupError")),
        [],
    ),
    "function that raises the exception": (
        "def f(a): return {}[a]\ntry: f(1)\nexcept KeyError: pass",
        _of("call", "*.f", operands=[Named("a")], moment=Moment.RAISING, result=OfType("LookupError")),
        ["call(1)"],
    ),
    "method by its base": (
        "class A:\n    def run(self, n): pass\nclass B(A):\n    def run(self, n): super().run(n)\n"
        "B().run(1); A().run(2)",
        _of("run", "shop.A.run", operands=[Named("o"), Named("n")]),
        ["run(B#1, 1)", "run(B#1, 1)", "run(A#1, 2)"],
    ),
    "method of another class": (
        "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\nB().run()",
        _of("run", "shop.A.run", operands=[Named("o")]),
        [],
    ),
    "method that only a subclass has": (
        "class A: pass\nclass B(A):\n    def run(self): pass\nB().run()",
        _of("run", "shop.A.run", operands=[Named("o")]),
        [],
    ),
    "callback": (
        "class A:\n    def run(self, n): return n\nlist(map(A().run, [1, 2]))",
        _of("run", "*.A.run", operands=[Named("o"), Named("n")]),
        ["run(A#1, 1)", "run(A#1, 2)"],
    ),
    "recursion with results": (
        "def f(n): return n if n == 0 else f(n - 1) + 1\nf(2)",
        _of("call", "*.f", operands=[Named("n")], moment=Moment.RETURNING, result=Named("r")),
        ["call(0, 0)", "call(1, 1)", "call(2, 2)"],
    ),
    "generator function": (
        "def f(n):\n    yield n\n    return n\nlist(f(1))",
        _of("call", "*.f", operands=[Named("n")], moment=Moment.AFTER),
        ["call(1)"],
    ),
    "coroutine": (
        "import asyncio\nasync def f(n): return n\nasyncio.run(f(1))",
        _of("call", "*.f", operands=[Named("n")], moment=Moment.RETURNING, result=Named("n")),
        ["call(1)"],
    ),
    "function of a library": (
        "import json\nfrom json import loads as load\njson.loads('1'); load('2')",
        _of("load", "json.loads", operands=[Named("text")]),
        ["load('1')", "load('2')"],
    ),
    "builtin": (
        "n = len([1, 2]); len({})",
        _of("len", "len", moment=Moment.RETURNING, result=Named("n")),
        ["len(2)", "len(0)"],
    ),
    "class": (
        "class A:\n    def __init__(self, n): self.n = n\nA(1)",
        _of("make", "shop.A", operands=[Named("n")], moment=Moment.RETURNING, result=Named("o")),
        ["make(1, A#1)"],
    ),
    "constructor": (
        "class A:\n    def __init__(self, n): self.n = n\nA(1)",
        _of("make", "shop.A.__init__", operands=[Named("o"), Named("n")]),
        ["make(A#1, 1)"],
    ),
    "in": (
        "d = {1: 2}; 1 in d; 2 not in d; import operator; operator.contains(d, 3); d.__contains__(4)",
        _of("has", "dict.__contains__", operands=[Named("d"), Named("k")], moment=Moment.RETURNING, result=Named("r")),
        ["has(dict#1, 1, 1)", "has(dict#1, 2, 0)", "has(dict#1, 3, 0)", "has(dict#1, 4, 0)"],
    ),
    "items": (
        "d = {}; d[1] = 2; d[1] += 3; x = d[1]; del d[1]; (d[2], d[3]), [d[4], *d[5]] = (1, 2), (3, 4)\n"
        "for d[6] in [1]: pass\n[0 for d[7] in [1]]",
        stated(
            "p",
            [
                calls("get", "dict.__getitem__", operands=[Anything(), Named("k")]),
                calls("set", "dict.__setitem__", operands=[Anything(), Named("k"), Anything()]),
                calls("del", "dict.__delitem__", operands=[Anything(), Named("k")]),
            ],
            word("get", "set", "del"),
        ),
        [
            *("set(1)", "get(1)", "set(1)", "get(1)", "del(1)"),
            *(f"set({n})" for n in (2, 3, 4, 5, 6, 7)),
        ],
    ),
    "slices": (
        "l = [1, 2]; l[:1]; l[0:1] = [3]; del l[:]",
        stated(
            "p",
            [calls("touch", "list.__*item__", operands=[Named("l"), OfType("slice"), Anything(more=True)])],
            word("touch"),
        ),
        ["touch(list#1)"] * 3,
    ),
    "attributes": (
        "class A: n = 0\na = A(); a.n; a.n = 1; a.n += 2; getattr(a, 'n'); setattr(a, 'n', 5); del a.n\n"
        "a.m = 1; A.n; (a.n, a.m) = 6, 7\nobject.__setattr__(a, 'n', 8)",
        stated(
            "p",
            [
                accesses("get", PointcutKind.GET, "shop.A.n", operands=[Named("o")]),
                accesses("set", PointcutKind.SET, "shop.A.n", operands=[Anything(), Named("v")]),
                accesses("del", PointcutKind.DELETE, "shop.A.n"),
            ],
            word("get", "set", "del"),
        ),
        [
            *("get(A#1)", "set(1)", "get(A#1)", "set(3)", "get(A#1)", "set(5)", "del()", "get(class A#1)", "set(6)"),
            "set(8)",
        ],
    ),
    "names of attributes": (
        "class A: pass\na = A(); a.x = 1; a.y = 2; a.x; del a.y",
        stated(
            "p",
            [
                accesses("get", PointcutKind.GET, "*.A.*", operands=[Named("o"), Named("n")]),
                accesses("set", PointcutKind.SET, "*.A.*", operands=[Named("o"), Anything(), Named("n")]),
                accesses("del", PointcutKind.DELETE, "*.A.*", operands=[Named("o"), Named("n")]),
            ],
            word("get", "set", "del"),
        ),
        ["set(A#1, 'x')", "set(A#1, 'y')", "get(A#1, 'x')", "del(A#1, 'y')"],
    ),
    "attribute set to None": (
        "class T: pass\nt = T(); t.a = 1; t.a = None",
        stated(
            "p",
            [accesses(*("set", PointcutKind.SET, "*.T.a"), operands=[Named("o"), Named("v")], condition="v is None")],
            word("set"),
        ),
        ["set(T#1, None)"],
    ),
    "operators": (
        "l = [1]; l += [2]; l + [3]; l == l; l < l; l * 2",
        stated(
            "p",
            [
                calls(
                    "op",
                    *(f"list.__{name}__" for name in ("iadd", "add", "eq", "lt", "mul")),
                    operands=[Named("l"), Anything()],
                )
            ],
            word("op"),
        ),
        ["op(list#1)"] * 5,
    ),
    "managers": (
        "class M:\n    def __enter__(self): return self\n    def __exit__(self, *e): pass\n"
        "import threading\nlock = threading.Lock()\nwith M() as m, lock: pass\n"
        "try:\n    with lock, m: 1 // 0\nexcept ZeroDivisionError: pass\nlock.acquire(); lock.release()",
        stated(
            "p",
            [
                calls(
                    "enter",
                    "*.M.__enter__",
                    "threading.Lock.__enter__",
                    "threading.Lock.acquire",
                    operands=[Named("m")],
                ),
                calls(
                    *("leave", "*.M.__exit__", "threading.Lock.__exit__", "threading.Lock.release"),
                    operands=[Named("m"), Anything(more=True)],
                ),
            ],
            word("enter", "leave"),
        ),
        [
            *("enter(M#1)", "enter(Lock#1)", "leave(Lock#1)", "leave(M#1)"),
            *("enter(Lock#1)", "enter(M#1)", "leave(M#1)", "leave(Lock#1)", "enter(Lock#1)", "leave(Lock#1)"),
        ],
    ),
    "iterations": (
        "d = {1: 2}\nfor k in d: pass\n[k for k in d]; i = iter(d); next(i); next(i, None); list(d); a, = d; print(*d)",
        stated(
            "p",
            [
                calls(
                    "iter",
                    "dict.__iter__",
                    operands=[Named("d")],
                    moment=Moment.RETURNING,
                    result=OfType("dict_keyiterator"),
                ),
                calls("next", "*.__next__", operands=[OfType("dict_keyiterator")]),
            ],
            word("iter", "next"),
        ),
        [
            *("iter(dict#1)", "next()", "next()"),
            *("iter(dict#1)", "next()", "next()"),
            *("iter(dict#1)", "next()", "next()"),
            *("iter(dict#1)", "next()") * 3,
        ],
    ),
    "iterators behind builtins": (
        "l = [1]\nfor _ in enumerate(l): pass\nfor _ in zip(l, l): break",
        stated(
            "p",
            [
                calls("iter", "list.__iter__", operands=[Named("l")]),
                calls("next", "list_iterator.__next__"),
            ],
            word("iter", "next"),
        ),
        ["iter(list#1)", "next()", "next()", "iter(list#1)", "iter(list#1)", "next()", "next()"],
    ),
    "length by truth": (
        "d = {}\nif d: pass\nwhile not d: break",
        _of("len", "dict.__len__", operands=[Named("d")]),
        ["len(dict#1)"] * 2,
    ),
    "conditions": (
        "def run(sql): pass\nrun('select a'); run('drop b')",
        _of("run", "*.run", operands=[Named("sql")], condition="'drop' in sql"),
        ["run('drop b')"],
    ),
    "wildcards": (
        "def get_a(): pass\ndef get_b(): pass\ndef put(): pass\nget_a(); get_b(); put()",
        _of("get", "shop.get_*"),
        ["get()", "get()"],
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", _CASES)
def test_kinds_of_operations(case: str, tmp_path: Path) -> None:
    source, asked, expected = _CASES[case]
    assert _events(source, tmp_path, asked) == expected


@pytest.mark.parametrize(
    "source",
    [
        "d = {1: 2}; list(map(d.pop, [1]))",
        "import functools\nd = {1: 2}; f = functools.partial(d.pop, 1)",
        "class A: pass\na = A(); d = {1: 2}; a.f = d.pop; a.f(1)",
        "d = {1: 2}; f = getattr(d, 'pop'); f(1)",
        "from operator import methodcaller\nd = {1: 2}; methodcaller('pop', 1)(d)",
    ],
)
def test_calls_that_may_not_be_seen_are_counted(source: str, tmp_path: Path) -> None:
    made = recorded(source, tmp_path, _of("pop", "dict.pop", operands=[Named("d"), Named("k"), Anything(more=True)]))
    assert made.untracked


def test_calls_by_an_alias_are_seen(tmp_path: Path) -> None:
    source = "d = {1: 2}\ndef run():\n    pop = d.pop\n    pop(1)\nrun()\nimport json as j; f = j.loads; f('3')"
    pops = calls("pop", "dict.pop", operands=[Named("d"), Named("k"), Anything(more=True)])
    loads = calls("load", "json.loads", operands=[Named("k")])
    made = recorded(source, tmp_path, stated("p", [pops, loads], word("pop", "load")))
    assert [event for _, event, _ in made.events] == ["pop(dict#1, 1)", "load('3')"]


def test_conditions_look_at_plain_values_only(tmp_path: Path) -> None:
    source = "class A:\n    def __eq__(self, other): raise SystemExit\ndef run(a): pass\nrun(A()); run(1)"
    made = recorded(source, tmp_path, _of("run", "*.run", operands=[Named("a")], condition="a == 1"))
    assert [event for _, event, _ in made.events] == ["run(1)"]
    assert made.untracked
