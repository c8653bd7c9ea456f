"""The reads that are found to be needless: those on lines that end in ``# needless``, and no others.

The other reads matter: each of the ways in which Python lets a value, or its location, be reached is added to a program
whose counter no code looks at, and its reads must then no longer be needless.
"""

from __future__ import annotations

import ast
from itertools import count
from typing import Final

import pytest

from mazurka.program.python.analysis.closed_world import is_open
from mazurka.program.python.analysis.dependence import ModuleSource, needless
from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.instrument import instrument_source

_NUMBERS: Final = count()

_PROGRAM: Final = """
import threading

total = 0
lock = threading.Lock()
missing = 0


class Stats:
    def __init__(self):
        self.hits = 0
        self.seen = 0


stats = Stats()


def work(thing):
    global total, missing
    stats.hits += 1  # needless
    hits = stats.hits  # needless
    stats.seen = hits + 2 * total  # needless
    total = total - 1  # needless
    if missing:
        missing += 1


threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
"""


def _lines(*sources: str, final: bool = False) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """(module, line) of the reads found needless whatever happened before, and of those marked."""
    modules, numbers = {}, {}
    for source in sources:
        file = f"/nowhere/dependence_{next(_NUMBERS)}.py"
        instrument_source(source, file)
        modules[file] = ModuleSource(ast.parse(source))
        numbers[file] = sites.numbers(file)
    found = set()
    for number, condition in needless(modules, numbers, final=final).items():
        site = sites.site(number)
        assert site is not None
        if condition.there:
            found.add((list(modules).index(site.file), site.line))
    marked = {
        (index, line)
        for index, source in enumerate(sources)
        for line, text in enumerate(source.splitlines(), 1)
        if text.endswith("# needless")
    }
    return found, marked


def _is_plain(more: str, *modules: str) -> bool:
    """Whether the program's marked reads are still needless with this added to it, and these modules."""
    found, marked = _lines(f"{_PROGRAM}\n\n{more}\n", *modules)
    return marked <= found


def test_values_that_go_nowhere_are_not_needed() -> None:
    found, marked = _lines(_PROGRAM)
    assert found == marked


def test_nor_are_those_discarded_where_fields_are_looked_at_in_the_end() -> None:
    source = _PROGRAM.replace("# needless", "")
    found, marked = _lines(
        source + "\ndef look():\n    stats.hits  # needless\n    last = stats.seen  # needless\n", final=True
    )
    assert found == marked


@pytest.mark.parametrize(
    "more",
    [
        "def other(a, b):\n    return [a for a in b if a] + sorted(b)",
        "def other(stats):\n    with lock:\n        print('done', stats)",
        "class Other(Stats):\n    def more(self):\n        return 3",
        "def other():\n    s = Stats()\n    s.hits = -4\n    return s",
        "def other():\n    while not lock.locked():\n        lock.acquire()",
        "def other():\n    for i in range(3):\n        stats.seen += 2 > 1",
        "def other():\n    try:\n        stats.seen = 2\n    finally:\n        stats.seen -= 1",
        "def other(x: Stats) -> None:\n    if isinstance(x, Stats):\n        raise ValueError",
    ],
)
def test_what_has_nothing_to_do_with_it_changes_nothing(more: str) -> None:
    assert _is_plain(more)


#: In a function: the counter's value gets somewhere, or something else gets where it is.
_USES: Final = r"""
if stats.hits: pass
return stats.hits
yield stats.hits
assert stats.seen
print(stats.hits)
print(f"{stats.hits}")
print("{0.hits}".format(stats))
total // stats.hits
total[stats.hits]
1 / total
x = [1][total]
x = {stats.hits: 1}
x = (stats.hits, 2)
x = -total if lock else 0; return x
x = lambda: stats.hits
x = lambda hits=stats.hits: hits
x = [stats.hits for _ in ()]
n = stats.hits; x = [n for n in range(n)]
n = stats.hits; x = [m for m in range(3) if m < n]
n = stats.hits; x = {n: n for n in [n]}
n = stats.hits; x = (lambda n=n: n)()
n = stats.hits; x = 0 < n < stats.seen
n = stats.hits; x = n and lock
n = stats.hits; x = not (n or lock)
n = stats.hits; x = n << 100
n = stats.hits; x = n % 2
n = stats.hits; x = ~n
n = stats.hits; x = n is total
n = stats.hits; x = n in (1, 2)
n = stats.hits; x = n + "1"
n = stats.hits; x = n + thing
n = stats.hits; m = n; raise ValueError(m)
n = stats.hits; global g; g = n; return g
if (n := stats.hits): pass
print(n := total)
n, m = stats.hits, 1
n = m = stats.hits; return m
(n, *m) = [stats.hits]
for n in range(stats.hits): pass
for stats.hits in range(3): pass
x = [0 for stats.hits in "ab"]
with thing(stats.hits): pass
with thing as stats.hits: pass
del stats.hits
thing.hits += 1
thing().seen = 2
stats.hits = "x"
stats.hits = thing
stats.hits = 1.5
stats.seen += thing
stats.hits = stats.seen = 3
stats.hits, x = 1, 2
stats.hits: int
stats.hits: total = 3
x: total = 3
setattr(stats, "hits", "x")
setattr(stats, thing, "x")
getattr(stats, "hi" "ts")
print(thing.format(stats))
print(str.format(thing, stats))
getattr(stats, "hi" + "ts")
stats.__dict__["hits"] = ""
vars(stats)
exec("stats.hi" "ts = ''")
eval(thing)
globals()["total"] = ""
locals()
x = stats.__class__; return x
x = type(stats)
x = Stats; return x
Stats.hits = thing
Stats.method(thing)
Stats.__init__ = work
Stats.__init__(thing)
Stats(hits=thing)
thing(total=1)
thing(**{"total": 1})
match thing:\n        case Stats(hits=1): pass
global total\n    match thing:\n        case [total, *_]: pass
global total\n    match thing:\n        case {"a": 1, **total}: pass
match stats.hits:\n        case 1: pass
match thing:\n        case 1 if stats.hits: pass
global total; total = thing
global total; total += thing
global total; del total
global total; total = total / 1
global total; import total
global total; from thing import total
global total\n    def total(): pass
nonlocal_ = total; (lambda: nonlocal_)()
n = total; (lambda: n)()
n = total; exec(thing)
n = total; import sys; sys._getframe().f_locals
async def f(): await total
def f(a=total): pass
def f(a: total): pass
@thing(total)\n    def f(): pass
class Inner(thing[total]): pass
class Inner: hits = thing
class Inner: x = total
class Inner: seen: int = 0
try: pass\n    except stats.hits: pass
global total\n    try: pass\n    except ValueError as total: pass
while total: pass
while thing: stats.hits += 1
while thing: stats.hits = 3
while thing: work()
while thing: thing()
while thing: thing[0]()
n = total\n    while thing: n = n * 0
"""

#: At the top of the module: other code can reach its variables, or a loop may be waiting for them.
_DEFINITIONS: Final = r"""
def hits(): pass
def other(): global seen; seen = stats
class Other:\n    @property\n    def hits(self): return 1
class Other:\n    hits = property(print)
class Other:\n    def __getattr__(self, name): return name
class Other:\n    def __setattr__(self, name, value): pass
class Other:\n    def __set_name__(self, owner, name): pass
class Other:\n    __slots__ = ("hits",)
class Other(Stats):\n    def __init__(self): pass
class Other(Stats):\n    def __init__(self):\n        work(3)\n        super().__init__()
class Other(Stats, metaclass=thing): pass
@thing\nclass Other(Stats): pass
class Other(Stats, Foreign): pass
class Other(thing.Stats): pass
class Other:\n    def work(self): self.hits = 1\n    work(thing)
class Other:\n    def work(self): self.hits = 1\nwork(Other.work)
class Other:\n    def work(self): self.hits = 1\n    work = thing(work)
class Other:\n    @staticmethod\n    def work(self): self.hits = 1
class Other:\n    def work(self): self.hits = 1
class Other:\n    def work(me):\n        me = thing\n        me.hits = 1
class Other:\n    def work(self, /): self.hits = 1
class Other:\n    def __init__(self): self.hits = self\n    hits = 0
class Other:\n    def __init__(self, hits): self.hits = hits
class Stats: pass
Stats = thing
stats = thing
from thing import Stats
def other(Stats): stats.hits = 1
threads[0].hits = 3
import copy
import pickle as queue
from pickle import dumps
from . import sibling
from threading import *
from importlib import import_module
import dataclasses
from thing import hits
from thing import other as total
import thing as total
for total in range(3): pass
while lock: pass
print(__builtins__)
seen: "hits"
def helper(): stats.hits += 1\ndef other():\n    while lock: helper()
def helper(): stats.hits += 1\ntable = [helper]\ndef other():\n    while lock: table[0]()
def helper(): stats.hits += 1\ndef other(f=helper):\n    while lock: f()
"""


_INDIRECTLY: Final = (
    "class C:\n    def __exit__(self): helper()\n\ndef other():\n    while lock:\n        with C(): pass",
    "def call(f):\n    def inner(): helper()\n    return inner\n\n@call\ndef f(): pass\n\ndef g():\n    while 1: f()",
    "class C:\n    def __init__(self): helper()\n\nclass D(C): pass\n\ndef g():\n    while lock: D()",
    "class C:\n    @property\n    def p(self): helper()\n\ndef g(c):\n    while lock: c.p",
)


def _cases(text: str) -> list[str]:
    """The cases, one on each line; backslashes separate the lines of a case."""
    return [line.replace(r"\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("use", _cases(_USES))
def test_what_is_used_is_needed(use: str) -> None:
    assert not _is_plain(f"def use(thing):\n    {use}")


@pytest.mark.parametrize("definition", _cases(_DEFINITIONS))
def test_what_others_can_reach_is_needed(definition: str) -> None:
    assert not _is_plain(definition)


@pytest.mark.parametrize("calls", _INDIRECTLY)
def test_what_a_loop_may_call_is_needed(calls: str) -> None:
    helper = "def helper():\n    stats.hits += 1"
    assert _is_plain(helper)
    assert not _is_plain(f"{helper}\n\n{calls}")


@pytest.mark.parametrize(
    "module",
    [
        "def look(stats): return stats.hits",
        "hits = 3\ndef change(stats): stats.hits = ''",
        "import copy",
        "def make(other): return other.Stats",
        "def change(other): other.total = None",
        "def change(other): other.stats = None",
        "class Other:\n    def hits(self): pass",
    ],
)
def test_other_modules_are_looked_at_too(module: str) -> None:
    assert not _is_plain("", module)


def test_what_is_imported_has_to_be_instrumented() -> None:
    for text, package, tracked, open_ in (
        ("import mine.own", "", {"mine", "mine.own"}, False),
        ("import mine.own", "", {"mine"}, True),
        ("from .own import x", "mine", {"mine", "mine.own", "mine.own.x"}, False),
        ("from . import own", "mine", {"mine"}, True),
        ("from .. import own", "mine.sub", {"mine", "mine.own"}, False),
        ("import os.path, collections.abc", "", set(), False),
    ):
        assert is_open(ast.parse(text), package, tracked.__contains__) is open_, text
