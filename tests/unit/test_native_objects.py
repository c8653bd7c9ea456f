"""Objects without a model: their state, and that every order in which threads use them is seen."""

from __future__ import annotations

import collections
import collections.abc
import contextvars
import csv
import datetime
import decimal
import enum
import fractions
import hashlib
import io
import itertools
import logging
import queue
import random
import re
import sqlite3
import textwrap
import threading
import types
import zlib
from pathlib import Path
from typing import Any

import pytest

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.program.python.entry import Script
from mazurka.program.python.instrument import sites
from mazurka.program.python.program import ProgramSettings, PythonProgram
from mazurka.program.python.semantics import native_objects
from mazurka.program.python.semantics.native_objects import FOREIGN, NATIVE, NOTHING

START = """
import threading
def par(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads: each.start()
    for each in threads: each.join()
"""


def explored(source: str, tmp_path: Path, strategy: str = "auto") -> Outcome:
    path = tmp_path / "subject.py"
    path.write_text(START + textwrap.dedent(source))
    program: PythonProgram

    def compiled(text: str, file: str) -> types.CodeType:
        return program.loader.code_for(text.encode(), file)

    program = PythonProgram(Script(str(path), (), compiled), ProgramSettings(roots=(str(tmp_path),)))
    try:
        return Explorer(program, strategy).run()
    finally:
        program.close()


class Own:
    pass


class OwnError(Exception):
    pass


class OwnSequence(collections.abc.Sequence[int]):
    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        return index


class OwnDict(dict[str, int]):
    pass


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        *((kind, NOTHING) for kind in (int, str, tuple, type(None), range, datetime.date, decimal.Decimal)),
        *((kind, NOTHING) for kind in (fractions.Fraction, re.Pattern, Path, list, dict, set, collections.deque)),
        *((kind, NOTHING) for kind in (collections.Counter, threading.Event, queue.Queue)),
        *((kind, NOTHING) for kind in (Own, OwnDict, OwnSequence, Colour)),
        *((kind, NATIVE) for kind in (io.StringIO, itertools.count, types.GeneratorType, type(iter([])), map, zip)),
        *((kind, NATIVE) for kind in (decimal.Context, sqlite3.Connection, type(hashlib.md5()), type(csv.reader([])))),
        *((kind, NATIVE) for kind in (contextvars.Context, type(zlib.compressobj()), ValueError, OwnError)),
        *((kind, FOREIGN) for kind in (random.Random, logging.Logger)),
    ],
)
def test_the_state_of_a_class(kind: type, state: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "instrumented", {__file__})
    assert native_objects._state_of(kind) == state


RACES = {
    "an index that may be out of range": """
        items, seen = bytearray(b"a"), [None, None, None]
        def guarded(number, act):
            try: seen[number] = act()
            except IndexError: seen[number] = "missing"
        par(
            lambda: guarded(0, lambda: items.pop()),
            lambda: guarded(1, lambda: items.pop()),
            lambda: guarded(2, lambda: items.__setitem__(0, 0)),
        )
        assert seen != ["missing", 0, None]
    """,
    "a stream": """
        import io
        stream = io.StringIO()
        def write(text):
            for each in text: stream.write(each)
        par(lambda: write("ab"), lambda: write("cd"))
        assert stream.getvalue() in ("abcd", "cdab")
    """,
    "a counter's bound method": """
        import itertools
        fresh = itertools.count().__next__
        def two():
            first = fresh()
            assert fresh() == first + 1
        par(two, two)
    """,
    "a list's iterator": """
        shared, got = iter([1, 2, 3, 4]), {}
        def take(key): got[key] = [each for each in shared]
        par(lambda: take(1), lambda: take(2))
        assert [] in got.values()
    """,
    "a generator": """
        def numbers():
            yield 1
            yield 2
        shared = numbers()
        par(lambda: next(shared), lambda: next(shared))
    """,
    "a generator expression": """
        shared = (each for each in range(4))
        par(lambda: next(shared), lambda: list(shared))
    """,
    "what a generator delegates to": """
        entries = {1: 1, 2: 2}
        def keys(): yield from entries
        def go_through():
            for each in keys(): pass
        def add(): entries[3] = 3
        par(go_through, add)
    """,
    "what __iter__ returns": """
        class Box:
            def __init__(self): self.items = {1: 1, 2: 2}
            def __iter__(self): return iter(self.items)
        box = Box()
        def go_through():
            for each in box: pass
        def add(): box.items[3] = 3
        par(go_through, add)
    """,
    "a thread's target in C": """
        left = [1]
        def take():
            if left: left.pop()
        par(left.clear, take)
    """,
    "a task in C": """
        from concurrent.futures import ThreadPoolExecutor
        left = [1]
        def take():
            if left: left.pop()
        with ThreadPoolExecutor(2) as pool:
            pool.submit(left.clear)
            pool.submit(take).result()
    """,
    "a key function in C": """
        rank = {"a": 1, "b": 2}
        def order():
            if "a" in rank: sorted("ab", key=rank.__getitem__)
        par(order, lambda: rank.pop("a"))
    """,
    "a mapped function in C": """
        members = {1, 2}
        def look():
            if 1 in members: assert any(map(members.__contains__, [1]))
        par(look, members.clear)
    """,
    "a nested field of a format": """
        class Box: pass
        box = Box()
        box.x = 1
        def show():
            if hasattr(box, "x"): "{0.x}".format(box)
        def drop(): del box.x
        par(show, drop)
    """,
    "elements that are compared": """
        own, all_of_them = [1], [[1]]
        def change():
            own.append(2)
            all_of_them[0].append(2)
        def look(): assert own in all_of_them
        par(change, look)
    """,
    "the end of an object": """
        import weakref
        class Box: v = 1
        box = Box()
        reference = weakref.ref(box)
        def look():
            if reference() is not None: reference().v
        def drop():
            global box
            box = None
        par(look, drop)
    """,
    "a class that is bound anew": """
        class Box: v = 1
        def look(): assert Box.v == Box().v
        def change():
            global Box
            class Box: v = 2
        par(look, change)
    """,
    "a text that is executed": """
        space = {}
        exec("n = 0\\ndef add():\\n    global n\\n    n = n + 1\\n", space)
        par(space["add"], space["add"])
        assert space["n"] == 2
    """,
    "which attributes there are": """
        class Box: pass
        box = Box()
        def look(): assert dir(box) == dir(box)
        def add(): box.x = 1
        par(look, add)
    """,
    "where a process prints": """
        import contextlib, io
        printed = {}
        def show(text):
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream): print(text)
            printed[text] = stream.getvalue()
        par(lambda: show("a"), lambda: show("b"))
        assert printed == {"a": "a\\n", "b": "b\\n"}
    """,
    "codecs that are registered": """
        import codecs
        found = []
        def look():
            try: codecs.lookup("mazurka_own")
            except LookupError: found.append(0)
            else: found.append(1)
        def register(): codecs.register(lambda name: codecs.lookup("utf-8") if name == "mazurka_own" else None)
        par(look, register)
        assert found == [0]
    """,
    "a library's operation in Python": """
        from collections import Counter
        counts = Counter("a")
        par(lambda: counts.update({"a": 1}), lambda: counts.update({"a": 1}))
        assert counts["a"] == 3
    """,
    "a library's object in Python": """
        import random
        shared = random.Random(1)
        def twice():
            state = shared.getstate()
            first = shared.random()
            shared.setstate(state)
            assert shared.random() == first
        par(twice, twice)
    """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("source", RACES.values(), ids=RACES.keys())
def test_its_race_is_found(source: str, tmp_path: Path) -> None:
    outcome = explored(source, tmp_path)
    assert isinstance(outcome.verdict, Violation), outcome.verdict


@pytest.mark.sampled
@pytest.mark.parametrize(
    "dictionary",
    [
        "object.__getattribute__(c, '__dict__')",
        "super(C, c).__getattribute__('__dict__')",
        "C.__dict__['__dict__'].__get__(c)",
        "operator.attrgetter('__dict__')(c)",
        "getattr(c, 'X__dict__'[1:])",
        "c.__reduce_ex__(4)[2]",
        "vars(copy.copy(c))",
    ],
)
def test_the_dictionary_of_an_instance_is_its_attributes(dictionary: str, tmp_path: Path) -> None:
    source = f"""
        import copy, operator
        class C:
            def __init__(self): self.a = self.b = 0
        c, got = C(), []
        def look():
            d = {dictionary}
            got.append(d['a'] == d['b'])
        def change():
            c.a = 1
            c.b = 1
        par(look, change)
        assert got[0]
    """
    assert isinstance(explored(source, tmp_path).verdict, Violation)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "call",
    [
        "next(map(out.append, [n]))",
        "map(out.append, [n]).__next__()",
        "dict(zip([1], map(out.append, [n])))",
        "''.join(map(str, map(out.append, [n])))",
        "None in map(out.append, [n])",
        "list(itertools.takewhile(out.append, [n]))",
        "next(itertools.groupby([n], out.append))",
        "collections.deque(map(out.append, [n]), maxlen=0)",
        "[].extend(map(out.append, [n]))",
        "{}.update(zip([1], map(out.append, [n])))",
        "set().update(map(out.append, [n]))",
        "here = [0]; here[:] = map(out.append, [n])",
        "here = []; here += map(out.append, [n])",
        "min(iter([n]), key=out.append)",
        "max((each for each in [n]), key=out.append)",
        "sorted(iter((n,)), key=out.append)",
        "operator.call(out.append, n)",
        "operator.iconcat(out, [n])",
    ],
)
def test_functions_in_c_that_functions_in_c_call(call: str, tmp_path: Path) -> None:
    assert isinstance(explored(_APPENDING.format(call=call), tmp_path).verdict, Violation)


#: Fails if the length is looked at by two before one appends.
_APPENDING = """
    import collections, contextlib, heapq, itertools, operator, weakref
    class Thing: pass
    out = []
    def work():
        n = len(out)
        {call}
    par(work, work)
    assert out == [0, 1]
"""


@pytest.mark.parametrize(
    "call",
    [
        "with contextlib.ExitStack() as stack: stack.callback(out.append, n)",
        "weakref.finalize(Thing(), out.append, n)",
        "heapq.nsmallest(1, [n], key=out.append)",
    ],
)
def test_functions_in_c_that_unseen_code_calls(call: str, tmp_path: Path) -> None:
    assert not isinstance(explored(_APPENDING.format(call=call), tmp_path).verdict, Verified)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("definition", "use"),
    [
        ("__call__ = out.append", "c(n)"),
        ("__add__ = out.append", "c + n"),
        ("__getitem__ = out.append", "c[n]"),
        ("__contains__ = out.append", "n in c"),
        ("__getattr__ = out.append", "getattr(c, str(n))"),
        ("__class_getitem__ = out.append", "C[n]"),
        ("__call__ = functools.partial(out.append)", "c(n)"),
        ("__init__ = out.append", "C(n)"),
    ],
)
def test_special_methods_in_c(definition: str, use: str, tmp_path: Path) -> None:
    source = f"""
        import functools
        out = []
        class C: {definition}
        c = None
        if {definition!r}.partition(" ")[0] != "__init__": c = C()
        def work():
            n = len(out)
            {use}
        par(work, work)
        assert len(set(map(str, out))) == 2
    """
    assert not isinstance(explored(source, tmp_path).verdict, Verified)


_COPYING = """
    pair, got = [0, 0], []
    def copy():
        here = [9, 9]
        {copy}
        got.append(here[:2])
    def change():
        pair[0] = 1
        pair[1] = 1
    par(copy, change)
    assert got[0] in ([0, 0], [1, 1])
"""


@pytest.mark.parametrize(
    "copy",
    [
        "here[:] = pair",
        "here[0 : len(here)] = pair",
        "here[here[:0] == [] and 0 :] = pair",
        "here[:0] += pair",
        "here[:], other = pair, 1",
    ],
)
def test_what_is_assigned_to_a_slice_is_read(copy: str, tmp_path: Path) -> None:
    assert isinstance(explored(_COPYING.format(copy=copy), tmp_path).verdict, Violation)


@pytest.mark.parametrize(
    "copy", ["key = slice(None); here[key] = pair", "here[:], here[:0] = pair, []", "for here[:] in [pair]: pass"]
)
def test_what_may_be_assigned_to_a_slice_is_untracked(copy: str, tmp_path: Path) -> None:
    assert not isinstance(explored(_COPYING.format(copy=copy), tmp_path).verdict, Verified)


CORRECT = {
    "functions that tell of themselves, called for what a generator gives": """
        import functools
        class Box:
            def __init__(self, n): self.n = n
        class Twice:
            def __call__(self, n): return 2 * n
        def add(one, other): return one + other
        def compare(one, other): return one - other
        lock, out = threading.Lock(), []
        def work():
            with lock:
                out.append(len(out))
                numbers = lambda: (each for each in out)
                dict(zip(map(Box, numbers()), map(functools.partial(add, 1), numbers())))
                next(map(Twice(), numbers()))
                sorted(numbers(), key=functools.cmp_to_key(compare))
                max(numbers(), key=Twice())
                here = [1, 2]
                here[:1] = [3]
                here[1:] += [4]
        par(work, work)
        assert out == [0, 1]
    """,
    "natives of one thread each": """
        import io, itertools, random
        def work():
            stream, fresh, own = io.StringIO(), itertools.count(), random.Random(1)
            for each in (n * 2 for n in range(3)): stream.write(f"{each} {next(fresh)} {own.random()}")
            return stream.getvalue()
        par(work, work)
    """,
    "a generator under a lock": """
        def numbers():
            yield 1
            yield 2
        shared, lock, got = numbers(), threading.Lock(), []
        def take():
            with lock: got.append(next(shared))
        par(take, take)
        assert got == [1, 2]
    """,
    "values of the library": """
        import datetime, decimal, fractions, re, uuid
        day, pattern, half = datetime.date(2024, 1, 1), re.compile("a+"), fractions.Fraction(1, 2)
        def work():
            assert day.isoformat() == "2024-01-01" and pattern.match("aa") and half + half == 1
            assert decimal.Decimal("0.1") + decimal.Decimal("0.2") == decimal.Decimal("0.3")
        par(work, work)
    """,
    "a context manager made of a generator": """
        import contextlib
        lock, count = threading.Lock(), 0
        @contextlib.contextmanager
        def locked():
            with lock: yield
        def add():
            global count
            with locked(): count += 1
        par(add, add)
        assert count == 2
    """,
    "a named tuple and a data class": """
        import collections, dataclasses
        Point = collections.namedtuple("Point", "x y")
        @dataclasses.dataclass
        class Pair:
            x: int
            y: int
        got = []
        def work(): got.append((Point(1, 2)._replace(x=3), Pair(1, 2) == Pair(1, 2)))
        par(work, work)
        assert len(got) == 2
    """,
}


@pytest.mark.parametrize("source", CORRECT.values(), ids=CORRECT.keys())
def test_what_is_correct_is_verified(source: str, tmp_path: Path) -> None:
    outcome = explored(source, tmp_path)
    assert isinstance(outcome.verdict, Verified), (outcome.verdict, outcome.untracked)


FOREIGN_CODE = """
class Cache:
    def __init__(self):
        self.entries = {}
        self.calls = 0
    def __getitem__(self, key): return self.entries[key]
    def __setitem__(self, key, value): self.entries[key] = value
    def __contains__(self, key): return key in self.entries
    def __len__(self): return len(self.entries)
    def __bool__(self): return bool(self.entries)
    def __iter__(self): return iter(self.entries)
    def __call__(self): self.calls = self.calls + 1
    def __iadd__(self, n):
        self.calls = self.calls + n
        return self
    def __eq__(self, other): return self.calls == other
    def __enter__(self): self.calls = self.calls + 1
    def __exit__(self, *exception): pass
    @property
    def size(self): return len(self.entries)
    @size.setter
    def size(self, n): self.calls = self.calls + n
def bump(): Cache.shared = getattr(Cache, "shared", 0) + 1
def change(box): box.x = box.x + 1
def add(box): box.y = 1
def fill(entries): entries["k"] = 1
def decorate(function):
    bump()
    return function
def remove(items):
    yield 1
    items.pop()
    yield 2
"""

WAYS = {
    "a method": "lambda: cache.__getitem__('a')",
    "an item": "lambda: cache['a']",
    "a membership": "lambda: 'a' in cache",
    "a length": "lambda: len(cache)",
    "a test": "lambda: 1 if cache else 2",
    "iteration": "lambda: [each for each in cache]",
    "a call": "lambda: cache()",
    "a comparison": "lambda: cache == 1",
    "a property": "lambda: cache.size",
    "a function": "lambda: other.bump()",
    "a thread's target": "cache",
    "a method that was kept": "kept",
}


GIVEN = {
    "an object that is changed": ("lambda: 1 / (1 - box.x)", "lambda: other.change(box)"),
    "an object that is added to": ("lambda: hasattr(box, 'y') and 1 / 0", "lambda: other.add(box)"),
    "a dictionary that is added to": ("lambda: entries.get('k') and 1 / 0", "lambda: other.fill(entries)"),
    "a generator that is run": ("lambda: 1 / (len(items) - 1)", "lambda: list(removing)"),
    "a function that is decorated": ("decorated", "decorated"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("threads", GIVEN.values(), ids=GIVEN.keys())
@pytest.mark.parametrize("turned", [False, True])
def test_what_code_that_is_not_included_does_with_what_it_gets(
    threads: tuple[str, str], turned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "othercode.py").write_text(FOREIGN_CODE)
    (tmp_path / "root").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    source = f"""
        import othercode as other
        class Box: pass
        box, entries, items = Box(), {{}}, [1, 2]
        box.x, removing = 0, other.remove(items)
        def decorated():
            @other.decorate
            def own(): pass
        par({", ".join(threads[::-1] if turned else threads)})
    """
    assert not isinstance(explored(source, tmp_path / "root").verdict, Verified)


@pytest.mark.sampled
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_code_that_is_not_included_is_named(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "othercode.py").write_text(FOREIGN_CODE)
    (tmp_path / "root").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    source = f"""
        import othercode as other
        cache = other.Cache()
        cache["a"] = 1
        kept = cache.__len__
        par({way}, {way})
    """
    outcome = explored(source, tmp_path / "root")
    assert isinstance(outcome.verdict, Inconclusive)
    assert list(outcome.untracked) == ["entered but not explored: othercode (add --include othercode)"]


def test_code_that_one_thread_enters_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "othercode.py").write_text(FOREIGN_CODE)
    (tmp_path / "root").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    source = """
        import othercode
        total = []
        def use():
            cache = othercode.Cache()
            cache["a"] = 1
        par(use, lambda: total.append(1))
        othercode.bump()
    """
    assert isinstance(explored(source, tmp_path / "root").verdict, Verified)


def test_what_can_not_be_traced_is_counted(tmp_path: Path) -> None:
    source = """
        import sys
        box = object()
        par(lambda: sys.getrefcount(box), lambda: None)
    """
    outcome = explored(source, tmp_path)
    assert isinstance(outcome.verdict, Inconclusive)
    assert "sys.getrefcount()" in next(iter(outcome.untracked))


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("f.__code__ = g.__code__", "__code__"),
        ("K.__bool__ = lambda k: False", "__bool__"),
        ("del K.__len__", "__len__"),
    ],
)
def test_code_that_is_replaced_is_counted(change: str, name: str, tmp_path: Path) -> None:
    source = f"""
        class K:
            def __len__(self): return 1
        def f(): return 1
        def g(): return 2
        def change(): {change}
        par(change, lambda: f() + bool(K()))
    """
    outcome = explored(source, tmp_path)
    assert isinstance(outcome.verdict, Inconclusive)
    assert f"assignment to {name}" in next(iter(outcome.untracked))


def test_a_fault_of_a_hook_is_no_failure_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def accesses(thing, op):\n    raise AttributeError('missed')\n"
    space: dict[str, types.FunctionType] = {}
    exec(compile(text, native_objects.__file__, "exec"), space)
    monkeypatch.setattr(native_objects, "accesses", space["accesses"])
    outcome = explored("import io; out = io.StringIO(); par(lambda: out.write('x'), lambda: out.write('y'))", tmp_path)
    assert isinstance(outcome.verdict, Inconclusive), outcome
    assert "a fault of Mazurka, at native_objects.py:2: AttributeError: missed" in outcome.verdict.reason


@pytest.mark.parametrize(
    ("made", "change", "state"),
    [
        ("io.StringIO()", "thing.write('a')", False),
        ("random.Random(1)", "thing.random()", False),
        ("array.array('b')", "thing.append(1)", True),
        ("decimal.Context()", "thing.prec = 5", False),
    ],
)
def test_truth_is_a_look_at_the_state_if_that_decides_it(made: str, change: str, state: bool, tmp_path: Path) -> None:
    """`bool` asks ``__bool__`` or ``__len__``; without either an object is true."""
    source = f"""
    import array, decimal, io, random
    thing = {made}
    def look():
        if thing: pass
        thing and not thing
    def change():
        {change}
    par(look, change)
    """
    assert (explored(source, tmp_path).executions > 1) is state
