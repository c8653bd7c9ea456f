"""The rewriter leaves a hook out because of the meaning of a name or an expression: never wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.test_native_objects import explored

from mazurka.explore.outcome import Inconclusive, Verified, Violation

#: Threads that run between each other's changes of these names.
SHARED = """
items = []
n = 0
def write():
    items.append(1)
    items.append(2)
def change():
    global n
    n = 1
    n = 2
class Gives:
    def __neg__(self): return items
    def __or__(self, other): return items
    def __eq__(self, other): return items
    def __contains__(self, other): return items
gives = Gives()
def show(*args): return f"{args}"
def given(**named): return named
def get(): return items
class Point:
    __match_args__ = ("x",)
    def __init__(self): self.x = 0
def meta(space):
    class Meta(type):
        def __prepare__(name, bases): return space
    return Meta
"""

#: Expressions that are false only while `items` is `[1]`.
LOOKS = {
    "a display formatted": 'f"{(items,)}" != "([1],)"',
    "a dictionary's display formatted": 'f"{ {1: items} }" != "{1: [1]}"',
    "an operator's result formatted": 'f"{[items] + []}" != "[[1]]"',
    "all arguments formatted": 'show(items) != "([1],)"',
    "a list formatted by %": '"%s" % [items] != "[[1]]"',
    "a search in a display": "[1] not in (items, 5)",
    "an operator's result gone through": "len([each for each in gives | 1]) != 1",
    "an operator's result unpacked": "len((lambda *a: a)(*-gives)) != 1",
    "the start of a chain": "not get() == [1] != [5]",
    "an operand bound amid": "not (x := items) == (x := [1])",
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_what_an_expression_looks_at(look: str, tmp_path: Path) -> None:
    source = f"{SHARED}\ndef look():\n    assert {look}\npar(write, look)"
    assert isinstance(explored(source, tmp_path).verdict, Violation)


#: Expressions whose truth changes with `items`.
TESTS = {
    "the last of several": "1 and items",
    "the last of alternatives": "0 or items",
    "an operator's result": "-gives",
    "what a comparison returns": "gives == 1",
    "what a membership test returns": "1 in gives",
    "elements of a generator": "any(each for each in [items])",
}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS.keys())
def test_what_a_test_looks_at(test: str, tmp_path: Path) -> None:
    source = f"{SHARED}\ndef look():\n    if {test}: a = 1\n    else: a = 2\n    assert a == (1 if {test} else 2)\n"
    assert isinstance(explored(source + "par(write, look)", tmp_path).verdict, Violation)


RACES = {
    "a dictionary of arguments, bound again": """
        def copy(**table):
            table = found
            return {**table}
        found = {}
        def fill():
            found["a"] = 1
            found["b"] = 2
        def look(): assert len(copy()) != 1
        par(fill, look)
        """,
    "a dictionary of arguments, handed out": """
        def fill(table):
            table["a"] = 1
            table["b"] = 2
        def look(**table):
            other = threading.Thread(target=fill, args=(table,))
            other.start()
            assert len({**table}) != 1
            other.join()
        look()
        """,
    "a display matched": """
        def look():
            match [items]:
                case [[_]]: raise AssertionError
        par(write, look)
        """,
    "an instance in what is matched": """
        point = Point()
        def move():
            point.x = 1
            point.x = 2
        def look():
            match [point]:
                case [Point(1)]: raise AssertionError
        par(move, look)
        """,
    "what a loop unpacks": """
        def look():
            for a, *b in [items or (0, 0)]: assert b
        par(write, look)
        """,
    "what a comprehension unpacks": """
        def look(): assert [b for a, *b in [items or (0, 0)]] != [[]]
        par(write, look)
        """,
    "what is in a pair that is unpacked": """
        pair = (1, items)
        def look():
            if items: a, (b, *c) = pair
            else: c = 1
            assert c
        par(write, look)
        """,
    "what a display gives to unpack": """
        def look():
            a, (b, *c) = 1, items or (0, 0)
            assert c
        par(write, look)
        """,
    "what `with` unpacks": """
        import contextlib
        def look():
            with contextlib.nullcontext(items or (0, 0)) as (b, *c): assert c
        par(write, look)
        """,
    "a global read in the body of a class": """
        def look():
            class K: n = n
            assert K.n != 1
        par(change, look)
        """,
    "a closure variable read in the body of a class": """
        def scope():
            n = 0
            def change():
                nonlocal n
                n = 1
                n = 2
            def look():
                class K: v = n
                assert K.v != 1
            par(change, look)
        scope()
        """,
    "a closure variable augmented in the body of a class": """
        def scope():
            n = 0
            def add():
                nonlocal n
                class K:
                    nonlocal n
                    n += 1
            par(add, add)
            assert n == 2
        scope()
        """,
    "what a name in the body of a class holds, augmented": """
        def extend():
            class K:
                mine = items
                mine += [1]
                mine += [2]
        def look(): assert len(items) != 1
        par(extend, look)
        """,
    "a name that ends with its handler": """
        def look(): error.args
        try:
            raise ValueError
        except ValueError as error:
            thread = threading.Thread(target=look)
            thread.start()
        thread.join()
        """,
    "a closure variable that ends with its handler": """
        def scope():
            try:
                raise ValueError
            except ValueError as error:
                thread = threading.Thread(target=lambda: error.args)
                thread.start()
            thread.join()
        scope()
        """,
    "a global bound in a `try`, and again in its handler": """
        def look(): assert x == x
        try:
            x = 1
            thread = threading.Thread(target=look)
            thread.start()
            raise ValueError
        except ValueError:
            x = 2
        thread.join()
        """,
    "a closure variable bound while a function has it": """
        def scope():
            def look():
                try: x
                except NameError: return
                raise AssertionError
            thread = threading.Thread(target=look)
            thread.start()
            x = 1
            thread.join()
        scope()
        """,
    "a global bound while a function runs that has it": """
        def look():
            try: late
            except NameError: return
            raise AssertionError
        thread = threading.Thread(target=look)
        thread.start()
        late = 1
        thread.join()
        """,
    "a function defined while another one runs": """
        def look():
            try: late()
            except NameError: return
            raise AssertionError
        thread = threading.Thread(target=look)
        thread.start()
        def late(): pass
        thread.join()
        """,
    "a function that its decorator lets run": """
        def scope():
            def start(function):
                thread = threading.Thread(target=function)
                thread.start()
                return thread
            @start
            def look(): look.join
            look.join()
        scope()
        """,
    "what a comprehension binds while functions have it": """
        def scope():
            seen = []
            def start(function):
                thread = threading.Thread(target=lambda: seen.append(function()))
                thread.start()
                return thread
            for thread in [start(lambda: i) for i in range(2)]: thread.join()
            assert seen != [1, 1]
        scope()
        """,
    "what a generator expression reads later": """
        def scope():
            x = 0
            later = (x for _ in range(2))
            def look(): assert next(later) != 1
            thread = threading.Thread(target=look)
            thread.start()
            x = 1
            x = 2
            thread.join()
        scope()
        """,
    "a decorator of the module": """
        def look(): assert len(items) != 1
        thread = threading.Thread(target=look)
        thread.start()
        @items.append
        def function(): pass
        items.append(2)
        thread.join()
        """,
    "a variable of a module that is imported from it": """
        import sys
        sys.modules["here"] = sys.modules[__name__]
        def look():
            from here import n
            assert n != 1
        par(change, look)
        """,
    "pairs from a generator": """
        def look(): dict(each for each in [items or (0, 0)])
        par(write, look)
        """,
    "a context manager that is one of two": """
        import io
        buffer = io.StringIO()
        def close():
            with None or buffer: pass
        def look():
            if not buffer.closed: buffer.getvalue()
        par(look, close)
        """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("source", RACES.values(), ids=RACES.keys())
def test_its_race_is_found(source: str, tmp_path: Path) -> None:
    assert isinstance(explored(SHARED + _dedented(source), tmp_path).verdict, Violation)


#: `take` may mean another object than a function of the module, or an import.
NAMES = {
    "a function or else": "if not items:\n    def take(): pass\nelse:\n    take = items.pop",
    "an import or else": "try:\n    from math import nothing as take\nexcept ImportError:\n    take = items.pop",
    "an import bound again": "import queue as take\ntake = items.pop",
    "a function bound again": "def take(): pass\ntake = items.pop",
    "a function bound by a loop": "def take(): pass\nfor take in (items.pop,): pass",
    "an attribute of a module": "threading.mine = items\ntake = lambda: threading.mine.pop()",
}


@pytest.mark.sampled
@pytest.mark.parametrize("where", ["module", "function"])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES.keys())
def test_what_a_name_may_mean(names: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.mine", None, raising=False)  # which is taken out again afterwards
    if where == "module":
        source = f"{names}\ndef work():\n    if items: take()\n"
    else:
        source = f"def work():\n{_indented(names)}\n    if items: take()\n"
    assert isinstance(explored(f"items = [1]\n{source}\npar(work, work)", tmp_path).verdict, Violation)


@pytest.mark.parametrize(
    "source",
    [
        "space = {}\ndef make():\n    class K(metaclass=meta(space)): n = 1\npar(make, lambda: space.get('n'))",
        "par(lambda: [0] <= get() <= [3], write)",
        "par(lambda: max(each for each in [items, [0]]), write)",
    ],
    ids=["the namespace of a class", "a chain of containers", "elements of a generator, compared"],
)
def test_what_is_not_told_is_counted(source: str, tmp_path: Path) -> None:
    assert isinstance(explored(SHARED + source, tmp_path).verdict, Inconclusive)


CORRECT = {
    "classes made by threads": """
        import enum
        def make():
            class Base: x = 1
            class Derived(Base): y = Base.x
            class Colour(enum.Enum): RED = 1
            assert Derived.y and Colour.RED
        par(make, make)
        """,
    "names bound by handlers": """
        def scope():
            for _ in range(2):
                try: raise ValueError(1)
                except ValueError as error: assert [*map(lambda each: error.args[0] + each, [1])] == [2]
        try: raise ValueError(1)
        except ValueError as failed: assert failed.args
        def look():
            try: return failed
            except NameError: return None
        par(scope, scope, look)
        assert "failed" not in globals()
        """,
    "globals bound while others run": """
        def look():
            with lock: return late()
        lock = threading.Lock()
        with lock:
            thread = threading.Thread(target=look)
            thread.start()
            def late(): return later
            later = 1
        thread.join()
        """,
    "functions that call each other": """
        def scope():
            def even(n): return n == 0 or odd(n - 1)
            def odd(n): return n != 0 and even(n - 1)
            assert even(4)
        par(scope, scope)
        """,
    "what comprehensions bind": """
        def scope():
            assert [f() for f in [lambda: x + y for x, y in [(1, 2), (3, 4)]]] == [7, 7]
            assert sum(x * k for k in (1, 2) for x in [k]) == 5
            later = ((lambda: x) for x in range(2))
            assert [f() for f in later] == [0, 1]
        par(scope, scope)
        """,
    "unpacking": """
        pairs = [(1, (2, 3)), (4, (5, 6))]
        def scope():
            assert [a + b + c for a, (b, c) in pairs] == [6, 15]
            for i, (a, (b, c)) in enumerate(pairs): pass
            a, (b, c) = (d, e) = pairs[0]
            (a, b), c = (b, a), [c]
            assert (a, b, c, d, e) == (2, 1, [3], 1, (2, 3))
        par(scope, scope)
        """,
    "what is guarded": """
        lock = threading.Lock()
        def scope(**table):
            with lock or None:
                items.append(1)
                assert f"{[items]}" and [items] and (1 and items) and [1] in (items, [1])
                assert 0 <= len(items) <= 2
            return {**table}
        par(scope, scope)
        """,
    "optional imports": """
        try: import json
        except ImportError: json = None
        try: from nothing import take
        except ImportError: take = None
        def scope(): return take or json.dumps(1)
        par(scope, scope)
        """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("source", CORRECT.values(), ids=CORRECT.keys())
def test_what_is_correct_is_verified(source: str, tmp_path: Path) -> None:
    assert isinstance(explored(SHARED + _dedented(source), tmp_path).verdict, Verified)


def _dedented(source: str) -> str:
    return "\n".join(line[8:] for line in source.splitlines())


def _indented(source: str) -> str:
    return "\n".join(f"    {line}" for line in source.splitlines())
