"""Random Python programs: two or three threads that do a few operations each on shared objects.

A program has one or two *themes*; a theme is a shared object with operations on it. Programs of one number are the same
everywhere. There are two sorts:

- Text with a function ``scenario()``, which starts the threads, joins them, and returns all values that they saw, and
  the final state. Every operation is one line, and its result (a value or the name of an exception) goes into the
  thread's list, unless it is left to fail the program.
- With a *shape* (:mod:`tests.oracle.shapes`): threads that are daemons, joined in part or by others, started late or by
  threads, a main thread that returns, raises or exits, and exit handlers. Such a program is a script, which prints the
  final state, or a function with another one that is called at its end (``at_end``). Its threads assert what they see.

The prelude is the same for all of a sort, so that a program can be shrunk by leaving operations out.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tests.oracle.shapes import EARLY, FINAL, LATE, MAIN, Ends, Shape, drawn_shape

#: The beginning of programs: classes and the keys that equal one another.
PRELUDE: Final = """\
import datetime
import enum
import threading
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from queue import Empty, Full, LifoQueue, Queue


class Box:
    pass


class Pair:
    __slots__ = ("x", "y")


class Kind(enum.Enum):
    A = 1
    B = 2


@dataclass(frozen=True)
class Point:
    x: int


class Odd:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return type(other) is Odd and other.number == self.number

    def __hash__(self):
        return 7

    def __repr__(self):
        return f"Odd({self.number})"


G = 0


def told(what):
    try:
        return what()
    except Exception as error:
        return type(error).__name__
"""

#: The beginning of programs with a shape.
SHORT_PRELUDE: Final = """\
import atexit
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, Full, Queue


class Box:
    pass


def told(what):
    try:
        return what()
    except Exception as error:
        return type(error).__name__


def bump():
    c.x += 1
    return c.x
"""


#: ... that use this class: in a program with a finaliser, a store is also a look at what it replaces.
COUNTED: Final = """\

class Counted:
    def __init__(self, box):
        self.box = box

    def __del__(self):
        self.box.x += 1

"""


@dataclass(frozen=True, slots=True)
class Theme:
    """The shared objects (lines of ``scenario`` before the threads), the operations on them (expressions, or
    statements), and the expressions for the final state. ``{k}`` in them is a key, ``{v}`` a small number."""

    shared: tuple[str, ...]
    does: tuple[str, ...]
    left: str
    keys: tuple[str, ...] = ("1",)


_STR_KEYS: Final = ("'a'", "'b'")
_ODD_KEYS: Final = ("Odd(1)", "Odd(2)")
_KINDS_OF_KEYS: Final[tuple[tuple[str, ...], ...]] = (
    _STR_KEYS,
    ("1", "1.0", "True", "Decimal(1)", "Fraction(1)", "2"),
    ("0.5", "Fraction(1, 2)", "Decimal('0.5')"),
    ("Kind.A", "Kind.B"),
    ("Point(1)", "Point(2)"),
    ("uuid.UUID(int=1)", "uuid.UUID(int=2)"),
    ("datetime.date(2020, 1, 1)", "datetime.date(2020, 1, 2)"),
    ("frozenset([1])", "frozenset([1.0])", "frozenset([2])"),
    ("(1, 'a')", "(1.0, 'a')", "(2, 'a')"),
    _ODD_KEYS,
)

_DICT: Final = (
    "d[{k}]",
    "d[{k}] = {v}",
    "del d[{k}]",
    "d[{k}] += 1",
    "d[{k}] = d.get({k}, 0) + 1",
    "{k} in d",
    "d.get({k})",
    "d.pop({k}, None)",
    "d.pop({k})",
    "d.setdefault({k}, {v})",
    "d.popitem()",
    "d.clear()",
    "d.update({{{k}: {v}}})",
    "d.copy()",
    "list(d)",
    "list(d.values())",
    "sorted(d.values())",
    "len(d)",
    "d == {{{k}: {v}}}",
    "bool(d)",
    "[k for k in d]",
)

THEMES: Final[dict[str, Theme]] = {
    "attributes": Theme(
        ("c = Box()", "c.x = 0"),
        (
            "c.x",
            "c.x = {v}",
            "del c.x",
            "c.x += 1",
            "hasattr(c, 'x')",
            "getattr(c, 'x', None)",
            "setattr(c, 'x', {v})",
            "delattr(c, 'x')",
            "c.y = {v}",
            "c.y",
            "del c.y",
        ),
        "(getattr(c, 'x', None), getattr(c, 'y', None))",
    ),
    "slots": Theme(
        ("p = Pair()", "p.x = 0"),
        ("p.x", "p.x = {v}", "del p.x", "p.x += 1", "hasattr(p, 'x')", "p.y = {v}", "p.y"),
        "(getattr(p, 'x', None), getattr(p, 'y', None))",
    ),
    "class": Theme(
        ("class K: x = 0", "k = K()"),
        ("K.x", "K.x = {v}", "K.x += 1", "k.x", "k.x = {v}", "del k.x", "del K.x", "hasattr(k, 'x')"),
        "(getattr(K, 'x', None), getattr(k, 'x', None))",
    ),
    "globals": Theme(
        ("global G", "G = 0"),
        ("G", "G = {v}", "G += 1", "del G"),
        "told(lambda: G)",
    ),
    "closure": Theme(
        ("n = 0",),
        ("n", "n = {v}", "n += 1", "del n"),
        "told(lambda: n)",
    ),
    "dict": Theme(("d = {{{k}: 0}}",), _DICT, "sorted(d.values()), len(d)", _STR_KEYS),
    "empty dict": Theme(("d = {{}}",), _DICT, "sorted(d.values()), len(d)", _STR_KEYS),
    "ordered": Theme(
        ("d = OrderedDict([({k}, 0), ('q', 5)])",),
        (
            *_DICT,
            "d.move_to_end({k})",
            "d.move_to_end('q', False)",
            "d.popitem(last=False)",
            "d.move_to_end({k}, last=False)",
            "d.update(a={v})",
        ),
        "list(d.items())",
        _STR_KEYS,
    ),
    "default": Theme(
        ("d = defaultdict(list)",),
        ("d[{k}].append({v})", "d[{k}]", "{k} in d", "d.pop({k}, None)", "len(d)", "list(d)", "d.clear()"),
        "sorted(map(str, d.items()))",
        _STR_KEYS,
    ),
    "counter": Theme(
        ("d = Counter()",),
        (
            "d[{k}] += 1",
            "d[{k}]",
            "d.update([{k}])",
            "d.subtract([{k}])",
            "d.most_common(n=1)",
            "d.update(a={v})",
            "d.subtract(a={v})",
            "del d[{k}]",
            "d.total()",
            "len(d)",
        ),
        "sorted(map(str, d.items()))",
        _STR_KEYS,
    ),
    "list": Theme(
        ("l = [0]",),
        (
            "l.append({v})",
            "l.pop()",
            "l.pop(0)",
            "l[0]",
            "l[-1]",
            "l[0] = {v}",
            "l[0] += 1",
            "del l[0]",
            "l.insert(0, {v})",
            "l.remove({v})",
            "l.extend([{v}, 0])",
            "l.clear()",
            "l.sort()",
            "l.reverse()",
            "l.index({v})",
            "l.count({v})",
            "{v} in l",
            "len(l)",
            "l[:]",
            "l[1:] = [{v}]",
            "l += [{v}]",
            "sum(l)",
            "[e for e in l]",
            "l == [0]",
        ),
        "list(l)",
    ),
    "set": Theme(
        ("s = {{{k}}}",),
        (
            "s.add({k})",
            "s.discard({k})",
            "s.remove({k})",
            "{k} in s",
            "s.pop()",
            "s.clear()",
            "s.update([{k}])",
            "s.difference_update([{k}])",
            "len(s)",
            "s == {{{k}}}",
            "s |= {{{k}}}",
            "len(s | {{{k}}})",
            "len([e for e in s])",
        ),
        "len(s)",
        _STR_KEYS,
    ),
    "deque": Theme(
        ("q = deque([0, 1], 3)",),
        (
            "q.append({v})",
            "q.appendleft({v})",
            "q.pop()",
            "q.popleft()",
            "q[0]",
            "q[-1] = {v}",
            "q.rotate(1)",
            "q.extend([{v}, 0])",
            "q.clear()",
            "len(q)",
            "list(q)",
            "{v} in q",
            "q.remove({v})",
        ),
        "list(q)",
    ),
    "bytes": Theme(
        ("b = bytearray(b'a')",),
        (
            "b.append({v})",
            "b.pop()",
            "b[0]",
            "b[0] = {v}",
            "b.extend(b'xy')",
            "len(b)",
            "bytes(b)",
            "b += b'z'",
            "del b[0]",
        ),
        "bytes(b)",
    ),
    "lock": Theme(
        ("lock = threading.Lock()", "c = Box()", "c.x = 0"),
        (
            "lock.acquire()",
            "lock.release()",
            "lock.acquire(False)",
            "lock.locked()",
            "with lock: c.x += 1",
            "with lock: seen.append(c.x)",
            "if lock.acquire(False): c.x += 1; lock.release()",
            "c.x",
            "c.x += 1",
        ),
        "(c.x, lock.locked())",
    ),
    "locks": Theme(
        ("lock = threading.Lock()", "other = threading.Lock()", "c = Box()", "c.x = 0"),
        (
            "with lock: c.x += 1",
            "with lock, other: c.x += 1",
            "with other, lock: seen.append(c.x)",
            "with other: c.x = {v}",
            "if lock.acquire(False): c.x += 1; lock.release()",
            "other.locked()",
        ),
        "c.x",
    ),
    "handed lock": Theme(
        ("lock = threading.Lock()", "c = Box()", "c.x = 0", "lock.acquire()"),
        ("lock.acquire()", "lock.release()", "lock.acquire(False)", "lock.locked()", "c.x", "c.x += 1"),
        "(c.x, lock.locked())",
    ),
    "rlock": Theme(
        ("lock = threading.RLock()", "c = Box()", "c.x = 0"),
        (
            "lock.acquire()",
            "lock.release()",
            "lock.acquire(False)",
            "with lock: c.x += 1",
            "with lock: seen.append(c.x)",
            "c.x",
        ),
        "c.x",
    ),
    "condition": Theme(
        ("cond = threading.Condition(threading.Lock())", "c = Box()", "c.x = 0"),
        (
            "with cond: cond.wait()",
            "with cond: cond.notify()",
            "with cond: c.x += 1; cond.notify_all()",
            "with cond: cond.wait_for(lambda: c.x)",
            "with cond: c.x = {v}",
            "cond.notify()",
            "with cond: seen.append(c.x)",
        ),
        "c.x",
    ),
    "event": Theme(
        ("e = threading.Event()", "c = Box()", "c.x = 0"),
        ("e.wait()", "e.set()", "e.clear()", "e.is_set()", "c.x += 1", "c.x"),
        "(e.is_set(), c.x)",
    ),
    "semaphore": Theme(
        ("sem = threading.BoundedSemaphore(1)", "c = Box()", "c.x = 0"),
        ("sem.acquire()", "sem.release()", "sem.acquire(False)", "c.x += 1", "c.x", "with sem: c.x += 1"),
        "c.x",
    ),
    "barrier": Theme(
        ("bar = threading.Barrier(2)", "c = Box()", "c.x = 0"),
        ("bar.wait()", "bar.abort()", "bar.broken", "bar.n_waiting", "c.x += 1", "bar.reset()"),
        "(bar.broken, c.x)",
    ),
    "queue": Theme(
        ("work = Queue(1)",),
        (
            "work.put({v})",
            "work.get()",
            "work.get_nowait()",
            "work.put_nowait({v})",
            "work.empty()",
            "work.qsize()",
            "work.full()",
            "work.task_done()",
        ),
        "work.qsize()",
    ),
    "threads": Theme(
        ("c = Box()", "c.x = 0", "extra = threading.Thread(target=lambda: setattr(c, 'x', 7))"),
        (
            "ts[0].is_alive()",
            "ts[-1].is_alive()",
            "ts[0].join()",
            "ts[-1].join()",
            "extra.start()",
            "extra.join()",
            "extra.is_alive()",
            "threading.active_count()",
            "c.x",
            "c.x = {v}",
        ),
        "(c.x, told(extra.join))",
    ),
    "cached": Theme(
        ("c = Box()", "c.x = 0", "get = lru_cache(lambda: c.x)"),
        ("get()", "get.cache_clear()", "c.x = {v}", "c.x += 1"),
        "(c.x, get())",
    ),
}

#: Themes whose operations strategies need not all decide: their verdict is then inconclusive.
_OPEN: Final[dict[str, Theme]] = {
    "timed": Theme(
        ("lock = threading.Lock()", "e = threading.Event()", "c = Box()", "c.x = 0"),
        (
            "if lock.acquire(timeout=1): c.x += 1; lock.release()",
            "with lock: c.x += 1",
            "e.wait(1)",
            "e.set()",
            "e.clear()",
            "c.x",
            "ts[0].join(1)",
        ),
        "c.x",
    ),
    "generator": Theme(
        ("it = (i for i in range(4))",),
        ("next(it)", "next(it, None)", "list(it)"),
        "list(it)",
    ),
}

#: Containers of which the strategies keep one location for all items (see ``VALUES`` in :mod:`mazurka.trace.targets`):
#: operations on a part, and looks at the whole. In a quarter of the programs without a shape.
LARGE: Final[dict[str, Theme]] = {
    "large list": Theme(
        ("l = list(range(70))",),
        (
            "l[3] += 1",
            "l[3] = {v}",
            "l[-1] = {v}",
            "l[3]",
            "l.append({v})",
            "l.pop()",
            "l.insert(0, {v})",
            "len(l)",
            "sum(l)",
            "max(l)",
            "{v} in l",
            "l.count({v})",
            "l[:4]",
            "l[-2:]",
        ),
        "(len(l), sum(l))",
    ),
    "large dict": Theme(
        ("d = dict.fromkeys(range(70), 0)",),
        (
            "d[3] += 1",
            "d[69] = {v}",
            "d[100] = {v}",
            "d.pop(3, None)",
            "del d[100]",
            "d.setdefault(100, {v})",
            "d.get(100)",
            "len(d)",
            "sum(d.values())",
            "list(d)[-1]",
            "max(d)",
            "sum(d.copy().values())",
            "d.update({{3: {v}, 100: 1}})",
        ),
        "(len(d), sum(d.values()), list(d)[-1])",
    ),
    "growing dict": Theme(
        ("d = dict.fromkeys(range(64), 0)",),
        (
            "d[100] = {v}",
            "d[101] = {v}",
            "d[3] += 1",
            "d.setdefault(100, {v})",
            "d.pop(100, None)",
            "d.pop(3, None)",
            "len(d)",
            "sum(d.values())",
            "list(d)[-1]",
        ),
        "(len(d), sum(d.values()), list(d)[-1])",
    ),
    "large object": Theme(
        ("c = Box()", "c.__dict__.update((f'a{{i}}', 0) for i in range(70))"),
        (
            "c.a3 += 1",
            "c.a69 = {v}",
            "c.b = {v}",
            "del c.b",
            "c.a3",
            "hasattr(c, 'b')",
            "setattr(c, 'a3', {v})",
            "len(vars(c))",
            "sum(vars(c).values())",
            "list(vars(c))[-1]",
        ),
        "(len(vars(c)), sum(vars(c).values()))",
    ),
    "large set": Theme(
        ("s = set(range(70))",),
        (
            "s.add(100)",
            "s.add(101)",
            "s.discard(3)",
            "s.remove(3)",
            "100 in s",
            "len(s)",
            "sum(s)",
            "max(s)",
            "s == set(range(70))",
            "s |= {{100}}",
        ),
        "(len(s), sum(s))",
    ),
    "large deque": Theme(
        ("q = deque(range(70), 71)",),
        (
            "q.append({v})",
            "q.appendleft({v})",
            "q.popleft()",
            "q[0]",
            "q[3] = {v}",
            "q.rotate(1)",
            "len(q)",
            "sum(q)",
            "{v} in q",
        ),
        "list(q)",
    ),
}

#: Themes for programs with a shape only.
SHAPED: Final[dict[str, Theme]] = {
    "poll": Theme(
        ("c = Box()", "c.x = 0", "c.y = 0"),
        (
            "while not c.x: time.sleep(0.01)",
            "while c.x == 0: time.sleep(0.01)",
            "for _ in range(2):\n    if c.x: break\n    time.sleep(0.01)",
            "c.x = {v}",
            "c.x = 1",
            "c.x",
            "c.y = 1",
            "if c.y: c.x = 1",
        ),
        "(c.x, c.y)",
    ),
    "pool": Theme(
        ("c = Box()", "c.x = 0", "pool = ThreadPoolExecutor(1)"),
        (
            "pool.submit(bump)",
            "pool.submit(bump).result()",
            "pool.shutdown()",
            "pool.shutdown(wait=False)",
            "c.x",
            "c.x = {v}",
        ),
        "c.x",
    ),
    "deleted": Theme(
        ("c = Box()", "c.x = 0", "c.kept = Counted(c)"),
        ("c.kept = None", "Counted(c)", "c.x", "c.x = {v}", "c.kept = Counted(c)", "del c.kept"),
        "c.x",
    ),
}

#: The others that programs with a shape may have.
_WITH_SHAPE: Final = (
    *("attributes", "globals", "dict", "list", "lock", "lock", "locks", "handed lock", "rlock", "condition", "event"),
    *("semaphore", "barrier", "queue", "threads", "timed", "poll", "poll", "pool", "deleted", "lock", "attributes"),
)

#: How main ends, and what threads may do, too.
_ENDS: Final = Ends(
    ("raise ValueError", "sys.exit()", "sys.exit(3)", "os._exit(0)", "raise SystemExit", "os._exit(3)", "ts.clear()"),
    at_end=0.15,
)
_LEAVING: Final = ("sys.exit()", "os._exit(0)", "raise ValueError", "raise SystemExit", "os._exit(3)", "sys.exit(3)")


@dataclass(frozen=True, slots=True)
class Program:
    """The operations of each thread, and the shared objects."""

    themes: tuple[Theme, ...]
    keys: tuple[str, ...]
    threads: tuple[tuple[str, ...], ...]
    number: int = field(default=-1, compare=False)
    shape: Shape | None = None

    @property
    def is_script(self) -> bool:
        """Whether it can be run as a script; otherwise it is a function, and one for its end."""
        return self.shape is None or not self.shape.at_end

    def source(self) -> str:
        """The program as text."""
        return self._joined() if self.shape is None else self._shaped(self.shape)

    def script(self) -> str:
        """The program as a script that shows its result."""
        shows = f'if __name__ == "__main__":\n    print({FINAL!r}, scenario())\n' if self.shape is None else ""
        return self.source() + shows

    def _shaped(self, shape: Shape) -> str:
        shared = [line.format(k=self.keys[0]) for line in dict.fromkeys(x for each in self.themes for x in each.shared)]
        names = ["ts", *dict.fromkeys(name for line in shared if (name := line.partition(" = ")[0]).isidentifier())]
        rebound = f"global {', '.join(names)}"
        left = f"told(lambda: ({', '.join(theme.left for theme in self.themes)}))"
        lines = [SHORT_PRELUDE]

        def define(name: str, operations: Sequence[str]) -> None:
            lines.extend(["", f"def {name}:", f"    {rebound}", "    seen = []"])
            lines.extend(f"    {line}" for operation in operations for line in operation.splitlines())

        for number, operations in enumerate(self.threads):
            starts = [f"ts[{each}].start()" for each in shape.started_by(number)]
            joins = [f"ts[{each}].join()" for each in shape.joined_by(number)]
            define(f"t{number}()", (*starts, *operations, *joins))
        for number, operations in enumerate(shape.handlers):
            shows = [f"print({FINAL!r}, {left}, flush=True)"] if shape.shows and number == 0 else []
            define(f"done{number}()", (*operations, *shows))
        made = [
            f"threading.Thread(target=t{number}, daemon={number in shape.apart})" for number in range(len(self.threads))
        ]
        body = [*[line for line in shared if not line.startswith("global ")], f"ts = [{', '.join(made)}]"]
        body += [f"atexit.register(done{number})" for number in range(len(shape.handlers))]
        body += [f"ts[{each}].start()" for each in shape.started_by(EARLY)]
        body += shape.main
        body += [f"ts[{each}].start()" for each in shape.started_by(LATE)]
        body += [f"ts[{each}].join()" for each in shape.joined_by(MAIN)]
        if shape.shows and not shape.handlers and not shape.at_end:
            body.append(f"print({FINAL!r}, {left}, flush=True)")
        body += [shape.end] if shape.end else []
        define("scenario()", body)
        if shape.at_end:
            define("at_end(result)", (f"return {left}",))
        else:
            lines += ["", "scenario()"]
        if any("Counted" in line for line in lines):
            lines.insert(1, COUNTED)
        return "\n".join(lines) + "\n"

    def _joined(self) -> str:
        shared = dict.fromkeys(line for theme in self.themes for line in theme.shared)
        lines = [PRELUDE, "", "def scenario():"]
        lines += [f"    {line.format(k=self.keys[0])}" for line in shared]
        names = {line.partition(" = ")[0] for line in shared if " = " in line and "." not in line.partition(" = ")[0]}
        for number, operations in enumerate(self.threads):
            lines += [f"    seen{number} = []", f"    def t{number}():", f"        seen = seen{number}"]
            lines += [f"        global {name}" for name in ("G",) if any("G" in each for each in operations)]
            bound = [name for name in ("n", "l", "s", "b") if name in names]
            lines += [f"        nonlocal {', '.join(bound)}"] if bound else []
            for operation in operations:
                lines += [f"        {line}" for line in operation.splitlines()]
        lines.append(f"    ts = [{', '.join(f'threading.Thread(target=t{n})' for n in range(len(self.threads)))}]")
        lines += ["    for t in ts: t.start()", "    for t in ts: t.join()"]
        seen = ", ".join(f"seen{number}" for number in range(len(self.threads)))
        left = ", ".join(theme.left for theme in self.themes)
        lines.append(f"    return repr(([{seen}], {left}))")
        return "\n".join(lines) + "\n"

    def smaller(self) -> list[Program]:
        """Programs with an operation, or a thread, less."""
        found = []
        for number, operations in enumerate(self.threads):
            for place in range(len(operations)):
                rest = (*operations[:place], *operations[place + 1 :])
                threads = (*self.threads[:number], *([rest] if rest else []), *self.threads[number + 1 :])
                if self.shape is not None:
                    found.append(replace(self, threads=(*self.threads[:number], rest, *self.threads[number + 1 :])))
                elif threads:
                    found.append(replace(self, threads=threads))
        return found + self._with_smaller_shapes() if self.shape is not None else found

    def _with_smaller_shapes(self) -> list[Program]:
        assert self.shape is not None
        found = [
            replace(
                self,
                threads=(*self.threads[:number], *self.threads[number + 1 :]),
                shape=self.shape.without(number),
            )
            for number in range(len(self.threads))
            if len(self.threads) > 1 and not self.shape.started_by(number)
        ]
        return found + [replace(self, shape=shape) for shape in self.shape.smaller()]


def drawn(number: int, names: Sequence[str] = ()) -> Program:
    """The program of that number; of these themes only, if there are any. Two of three have a shape, if there are
    none."""
    if number % 3 and not names:
        return _with_shape(number)
    return _without_shape(number, names or (tuple(LARGE) if number % 12 == 0 else ()))


def _with_shape(number: int) -> Program:
    chance = random.Random(f"shape {number}")
    everything = {**THEMES, **_OPEN, **SHAPED}
    names = dict.fromkeys(chance.choice(_WITH_SHAPE) for _ in range(1 if chance.random() < 0.7 else 2))
    themes = tuple(everything[name] for name in names)
    count = 1 if chance.random() < 0.1 else 2 if chance.random() < 0.75 else 3

    def operation() -> str:
        return _operation(chance, chance.choice(themes), _STR_KEYS, caught=0.3, asserted=0.35)

    most = 2 if count < 3 else 1
    threads = [[operation() for _ in range(chance.randint(1, most))] for _ in range(count)]
    if chance.random() < 0.12:
        leaving = chance.choice(threads)
        leaving.insert(chance.randint(0, len(leaving)), chance.choice(_LEAVING))
    return Program(themes, _STR_KEYS, tuple(map(tuple, threads)), number, drawn_shape(chance, count, _ENDS, operation))


def _without_shape(number: int, names: Sequence[str]) -> Program:
    chance = random.Random(number)
    everything = {**THEMES, **_OPEN, **SHAPED, **LARGE}
    chosen = chance.sample(sorted(names or THEMES), 1 if names or chance.random() < 0.6 else 2)
    themes = tuple(everything[name] for name in chosen)
    keyed = any(theme.keys == _STR_KEYS for theme in themes)
    keys = chance.choice(_KINDS_OF_KEYS) if keyed and chance.random() < 0.5 else _STR_KEYS
    if "ordered" in chosen and keys is _ODD_KEYS:
        keys = _STR_KEYS  # CPython crashes where an OrderedDict changes while it compares such keys
    count = 2 if chance.random() < 0.6 else 3
    most = 3 if count == 2 else 2
    threads = tuple(
        tuple(_operation(chance, chance.choice(themes), keys) for _ in range(chance.randint(1, most)))
        for _ in range(count)
    )
    return Program(themes, keys, threads, number)


def _operation(
    chance: random.Random, theme: Theme, keys: tuple[str, ...], caught: float = 0.7, asserted: float = 0.0
) -> str:
    """An operation: the part ``caught`` of them does not let exceptions out, and of the expressions the part
    ``asserted`` is asserted to have another value."""
    text = chance.choice(theme.does).format(k=chance.choice(keys), v=chance.randint(0, 2))
    line = f"seen.append({text})" if _is_expression(text) else text
    if line is not text and chance.random() < asserted:
        return f"assert ({text}) != {chance.choice((0, 1, 2, True))}"
    if chance.random() < 1 - caught:
        return line
    indented = line.replace("\n", "\n    ")
    first = f"try:\n    {indented}" if ":" in line.partition("'")[0] and line is text else f"try: {line}"
    return f"{first}\nexcept Exception as error: seen.append(type(error).__name__)"


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
