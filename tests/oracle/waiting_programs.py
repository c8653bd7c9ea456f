"""Random programs in Python whose threads wait for conditions in loops, mostly as textbooks do, and often otherwise: a
change without a notification or outside of the lock, ``notify()``, tests that count, waits without a loop, timeouts.

A program prints its final state, what threads have seen included. It is small: ``dfs`` ends within some hundred
executions.
"""

from __future__ import annotations

import random
import re
import textwrap

_HEAD = """\
import threading
import time


class Box:
    @property
    def shown(self):
        tries.append(1)
        return self.n

    @property
    def some(self):
        "whether there is any"
        return self.n > 0

    @property
    def kept(self):
        return self.items

    def has(self, number):
        return self.n >= number

    def lacks(self, number):
        return not self.has(number)

    def peer(self):
        return self.inner


x, y, items, seen, tries, turn = Box(), Box(), [], [[] for _ in range(4)], [], 0
x.n = x.m = y.n = 0
x.items, x.inner, x.none = [], y, None
l, m = threading.Lock(), threading.Lock()
c, e, r = threading.Condition(l), threading.Condition(l), threading.Condition()


def is_empty():
    return not items


def is_at(thing, number):
    return thing == number


def counted():
    tries.append(1)
    return not x.n
"""

#: What keeps the rules for the condition ``c``; ``{i}`` is the thread's number, ``{k}`` one from 0 to 2.
_LOOPS = (
    "with c:\n    while not x.n: c.wait()\n    x.n -= 1; c.notify_all()",
    "with c:\n    while x.n > 0: c.wait()\n    x.n += 1; c.notify_all()",
    "with c:\n    while not items: c.wait()\n    seen[{i}].append(items.pop(0)); c.notify_all()",
    "with c:\n    while len(items) >= 1: c.wait()\n    items.append({k}); c.notify_all()",
    "with c:\n    while not x.items: c.wait()\n    seen[{i}].append(x.items.pop(0)); c.notify_all()",
    "with l:\n    while x.n < 1 and not x.m: c.wait()\n    seen[{i}].append((x.n, x.m))",
    "with c:\n    while x.inner.n == 0: c.wait()\n    seen[{i}].append(x.n)",
    "with c:\n    while turn != {k}: c.wait()\n    turn = {i}; c.notify_all()",
    "with c:\n    x.m += 1; c.notify_all()\n    while x.m < 2: c.wait()\nseen[{i}].append(x.m)",
    "with r:\n    while y.n < 1: r.wait()\n    y.n -= 1; r.notify_all()",
    "with r:\n    while y.n < 1: r.wait()\n    y.n -= 1",
    "with r:\n    while y.n < 1: r.wait()\n    y.n -= 1",
    "with c:\n    while items != x.items: c.wait()\n    items.append({k}); c.notify_all()",
    "with r:\n    while x.m: r.wait()\n    x.m = 1\nseen[{i}].append({k})\nwith r: x.m = 0; r.notify_all()",
    # tests that call functions and methods, and read properties
    "with c:\n    while not x.some: c.wait()\n    x.n -= 1; c.notify_all()",
    "with c:\n    while is_empty(): c.wait()\n    seen[{i}].append(items.pop(0)); c.notify_all()",
    "with c:\n    while not is_empty(): c.wait()\n    items.append({k}); c.notify_all()",
    "with c:\n    while not x.kept: c.wait()\n    seen[{i}].append(x.items.pop(0)); c.notify_all()",
    "with c:\n    while x.lacks(1): c.wait()\n    x.n -= 1; c.notify_all()",
    "with c:\n    while not is_at(turn, {k}): c.wait()\n    seen[{i}].append(turn)",
    "with r:\n    while not x.peer().has(1): r.wait()\n    y.n -= 1; r.notify_all()",
    # loops that are left in the middle, and limits that are none
    "with c:\n    while not items:\n        if x.m: break\n        c.wait()\n    seen[{i}].append(items[:])",
    "with c:\n    while True:\n        if x.n: x.n -= 1; c.notify_all(); break\n        c.wait()",
    "with c:\n    while True:\n        if x.some: break\n        if x.m: raise ValueError\n        c.wait(None)",
    "with c:\n    while not x.some: c.wait(timeout=None)\n    seen[{i}].append(x.n)",
    # changes that wake only where that matters
    "with c:\n    x.m += 1\n    if x.m == 2: c.notify_all()\n    while x.m < 2: c.wait()",
)
_CHANGES = (
    "with c: x.n += 1; c.notify_all()",
    "with c:\n    c.notify_all()\n    x.n += 1",
    "with c: items.append({k}); c.notify_all()",
    "with c: x.items.append({k}); c.notify_all()",
    "with c: x.m += 1; c.notify_all()",
    "with c: y.n += 1; c.notify_all()",
    "with l: turn = {k}; c.notify_all()",
    "with r: y.n += 1; r.notify_all()",
    "with m: seen[3].append({i})",
    "seen[{i}].append({k})",
    "with c:\n    x.m += 1\n    if x.m >= 2: c.notify_all()",
    "with c:\n    x.n += 1\n    if x.some: c.notify_all()",
)

#: What breaks them, or is not known to keep them.
_OTHERWISE = (
    "x.n += 1",
    "x.m = 1",
    "items.append({k})",
    "turn = {k}",
    "with m: x.n += 1",
    "with c: x.n += 1",
    "with c: items.append({k})",
    "with c: turn = {k}",
    "with c: x.n = 1; c.notify()",
    "with c: x.n += 1; c.notify(2)",
    "with c: items.append({k}); c.notify()",
    "with c: x.n += 1; e.notify_all()",
    "with c: c.notify_all()",
    "with c:\n    x.n += 1\n    l.release()\n    l.acquire()\n    c.notify_all()",
    "with c: x.items = [{k}]; c.notify_all()",
    "with c: x.inner = x; c.notify_all()",
    "x.inner = x",
    "y.__dict__['n'] = 1",
    "vars(x).update(n=1)",
    "setattr(x, 'n', 1)",
    "with c: x.items += [1]",
    "with c: globals()['turn'] = {k}",
    "with c:\n    if not x.n: c.wait()\n    seen[{i}].append(x.n)",
    "with c: c.wait()",
    "with c: c.wait(1); seen[{i}].append(x.n)",
    "with c:\n    while not x.n: c.wait(1)\n    x.n -= 1; c.notify_all()",
    "with c:\n    while not x.n: c.wait()\n    x.n -= 1",
    "with r:\n    while y.n < {k}: r.wait()\n    y.n -= 1",
    "with r:\n    v = {k}\n    while y.n != v: r.wait()\n    y.n += 1",
    "with r:\n    while y.n < 1: r.wait()\n    y.n -= 1\n    r.wait()\n    y.n = 5",
    "with r: y.n += 1",
    "with c:\n    while not x.n: c.wait()\n    x.n -= 1; c.notify()",
    "with c:\n    while counted(): c.wait()",
    "setattr(Box, 'so' + 'me', {k})",
    "setattr(Box, 'ha' + 's', lambda self, number: {k})",
    "vars(x)['lac' + 'ks'] = lambda number: {k}",
    "globals()['is_' + 'empty'] = lambda: {k}",
    "with c: globals()['is_' + 'at'] = lambda *_: False; c.notify_all()",
    "with c:\n    x.m += 1\n    if x.m == {k}: c.notify_all()",
    "with c:\n    n = {k}\n    while x.lacks(n):\n        if x.m: break\n        c.wait()\n    x.n -= n",
    "with c:\n    while not items:\n        if x.m: x.m = 0; continue\n        c.wait()",
    "with c:\n    while not x.n:\n        if x.m: break\n        c.wait(1)\n    seen[{i}].append(x.n)",
    "with c:\n    while not x.n:\n        c.wait()\n        x.m += 1",
    "with c:\n    c.wait_for(lambda: x.some, timeout=None); x.n -= 1; c.notify_all()",
    "with c:\n    c.wait_for(lambda: x.has(1), 1); seen[{i}].append(x.n)",
    "with c:\n    while not x.shown: c.wait()",
    "with c:\n    while not x.n:\n        tries.append(1)\n        c.wait()",
    "with c:\n    n = 0\n    while not x.n:\n        n += 1\n        c.wait()\n    seen[{i}].append(n)",
    "with c:\n    n = x.m\n    while x.m == n: c.wait()",
    "with c:\n    while not items or items[0] != {k}: c.wait()\n    items.pop(0); c.notify_all()",
    "with c:\n    while items[0] != {k}: c.wait()",
    "with c:\n    while x.none.n: c.wait()",
    "with c:\n    while not (n := x.n): c.wait()\n    seen[{i}].append(n)",
    "with c:\n    while tries.append(1) or not x.n: c.wait()",
    "with e:\n    while not x.n: e.wait()\n    x.n -= 1; e.notify_all()",
    "with c:\n    while not x.n: e.wait()",
    "with c: c.wait_for(lambda: x.n); x.n -= 1; c.notify_all()",
    "with m:\n    with c:\n        while not x.n: c.wait()",
    "with m: x.m += 1",
    "with c:\n    with m: x.n += 1; c.notify_all()",
    "if l.acquire(blocking=False):\n    x.m += 1; c.notify_all()\n    l.release()",
    "if l.acquire(timeout=1): l.release()",
    "seen[{i}].append(l.locked())",
    "seen[{i}].append(repr(c)[-3:])",
    "time.sleep(1)",
    "with c:\n    while not x.n: c.wait()\n    assert x.m",
    "with c:\n    while not x.n: c.wait()\n    raise ValueError",
    "with c:\n    while x.m: c.wait()\n    while not x.n: c.wait()\n    seen[{i}].append(x.m)",
)


#: A part of the loops are written with ``wait_for``.
_LOOP = re.compile(r"while (.*): (\w)\.wait\(\)$", re.MULTILINE)

#: What wakes single threads, each group with one test for each of its conditions, and what loses a notification there.
_WAKING = (
    (
        "with c:\n    while not items: c.wait()\n    seen[{i}].append(items.pop(0))",
        "with c: items.append({k}); c.notify()",
        "with c: items.append({k}); items.append({i}); c.notify(); c.notify()",
        "with c: items.append({k}); items.append({i}); c.notify(); c.notify(0)",
        "with c: items.append({k}); items.append({i}); c.notify(2)",
        "with c: c.notify(); items.append({k})",
        "with c: items.append({k}); c.notify()\n",
        "with c: items.append({k})\nwith c: c.notify()",
        "with c: c.notify()",
        "with c:\n    while not items: c.wait()\n    seen[{i}].append(len(items))",
        "with c:\n    while not items: c.wait()\n    items.append(items.pop(0)); c.notify()",
        "with c:\n    while not items: c.wait()\n    items.append(items.pop(0))",
        "with c:\n    if not items: c.wait()\n    seen[{i}].append(len(items))",
        "with c:\n    items and items.pop()",
    ),
    (
        "with l:\n    while len(items) >= 1: e.wait()\n    items.append({k}); c.notify()",
        "with l:\n    while not items: c.wait()\n    seen[{i}].append(items.pop(0)); e.notify()",
        "with l:\n    while len(items) >= 1: e.wait()\n    items.append({k}); c.notify()",
        "with l:\n    while not items: c.wait()\n    seen[{i}].append(items.pop(0)); e.notify()",
        "with l:\n    while not items: c.wait()\n    seen[{i}].append(items.pop(0))",
        "with l:\n    while len(items) >= 1: e.wait()\n    items.append({k}); e.notify()",
        "with l:\n    while not items: c.wait()\n    items.clear(); c.notify()\n    while len(items) >= 1: e.wait()",
    ),
    (
        "with c:\n    while x.n < 1: c.wait()\n    x.n -= 1",
        "with c: x.n += 1; c.notify()",
        "with c:\n    while x.n < 1: c.wait()\n    x.n -= 1; seen[{i}].append(x.n)",
        "with c: x.n += 2; c.notify()",
        "with c: x.n = 1; c.notify()",
        "with c: x.n += {k}; c.notify({k})",
        "with c:\n    x.n += 1; c.notify()\n    while x.n < 1: c.wait()\n    seen[{i}].append(x.n); x.n -= 1",
        "with c:\n    while x.n < 2: c.wait()\n    x.n -= 1",
    ),
    (
        "with c:\n    while x.n: c.wait()\n    x.n = 1\nseen[{i}].append({k})\nwith c: x.n = 0; c.notify()",
        "with c:\n    while x.n: c.wait()\n    x.n = 1\nwith m: seen[3].append({i})\nwith c: x.n = 0; c.notify()",
        "with c:\n    while x.n: c.wait()\n    seen[{i}].append(x.n)",
    ),
    (
        "with c:\n    while True:\n        if x.n > 0: x.n -= 1; break\n        c.wait()",
        "with c: x.n += 1; c.notify()",
        "with c:\n    while True:\n        if x.n > 0: x.n -= 1; seen[{i}].append(x.n); break\n        c.wait()",
        "with c: x.n += {k}; c.notify()",
    ),
    (
        "with c:\n    while x.lacks(1): c.wait()\n    x.n -= 1",
        "with c:\n    x.n += 1; c.notify()",
        "with c:\n    while x.lacks(1): c.wait()\n    seen[{i}].append(x.n)",
        "with c:\n    x.n += 1\n    if x.has(2): c.notify_all()",
    ),
    (
        "with c:\n    while x.m < 2: c.wait()\n    seen[{i}].append(x.m)",
        "with c:\n    x.m += 1\n    if x.m == 2: c.notify_all()",
        "with c:\n    x.m += 1\n    if x.m >= 2: c.notify_all()",
        "with c:\n    x.m += 1\n    if x.m == {k}: c.notify_all()",
        "with c:\n    x.m += 1\n    if x.m == 2: c.notify()",
        "with c: x.m -= 1",
    ),
    (
        "with c:\n    while not items:\n        if x.m: break\n        c.wait()\n    items and items.pop()",
        "with c: items.append({k}); c.notify()",
        "with c: x.m = 1; c.notify_all()",
        "with c: x.m = 1; c.notify()",
    ),
    (
        "with c:\n    while not items and not x.m: c.wait()\n    seen[{i}].append(items.pop(0) if items else 9)",
        "with c: items.append({k}); c.notify()",
        "with c: x.m = 1; c.notify_all()",
        "with c: x.m = 1; c.notify()",
        "with c: items.append({k}); x.m = 0; c.notify()",
    ),
)


def drawn_waking(number: int) -> str:
    """The source of a program with this number whose threads mostly wake single other ones."""
    chance = random.Random(number)
    group = chance.choice(_WAKING)
    most = chance.choice((2, 2, 3, 99))  # the first ones lose no notification
    parts, threads = [_HEAD], chance.choice((2, 3, 3))
    for i in range(threads):
        body = ["global turn"]
        for _ in range(1 if threads == 3 else chance.randint(1, 2)):
            kinds = group[:most] if chance.random() < 0.9 else _OTHERWISE
            part = chance.choice(kinds).replace("{i}", str(i)).replace("{k}", str(chance.randrange(3)))
            body.append(_LOOP.sub(r"\2.wait_for(lambda: not (\1))", part) if chance.random() < 0.1 else part)
        parts.append(f"def t{i}():\n" + textwrap.indent("\n".join(body), "    "))
    functions = ", ".join([f"t{i}" for i in range(threads)])
    parts.append(f"ts = [threading.Thread(target=t) for t in ({functions})]")
    parts.append("for t in ts: t.start()")
    if chance.random() < 0.5:
        part = chance.choice(group[1:most])
        parts.append(part.replace("{i}", "3").replace("{k}", str(chance.randrange(3))))
    parts += ["for t in ts: t.join()"] * (chance.random() < 0.8)
    parts.append("print(x.n, x.m, items, seen)")
    return "\n".join(parts) + "\n"


def drawn_waiting(number: int) -> str:
    """The source of the program with this number."""
    chance = random.Random(number)
    otherwise = chance.choice((0.0, 0.0, 0.2, 0.5))
    threads = chance.choice((2, 2, 3))
    parts = [_HEAD]
    for i in range(threads):
        body = ["global turn"]
        for _ in range(1 if threads == 3 else chance.randint(1, 2)):
            kinds = _OTHERWISE if chance.random() < otherwise else chance.choice((_LOOPS, _CHANGES))
            part = chance.choice(kinds).replace("{i}", str(i)).replace("{k}", str(chance.randrange(3)))
            body.append(_LOOP.sub(r"\2.wait_for(lambda: not (\1))", part) if chance.random() < 0.3 else part)
        parts.append(f"def t{i}():\n" + textwrap.indent("\n".join(body), "    "))
    daemons = chance.random() < 0.1
    functions = ", ".join([f"t{i}" for i in range(threads)])
    parts.append(f"ts = [threading.Thread(target=t, daemon={daemons}) for t in ({functions})]")
    parts.append("for t in ts: t.start()")
    if chance.random() < 0.4:
        kinds = chance.choice((_CHANGES, _CHANGES, _LOOPS, _OTHERWISE))
        parts.append(chance.choice(kinds).replace("{i}", "3").replace("{k}", str(chance.randrange(3))))
    joined = chance.choice(("ts", "ts", "ts", "ts[:1]", "ts[1:]", "[]"))
    if joined != "[]":
        parts.append(f"for t in {joined}: t.join()")
    if chance.random() < 0.2:
        parts.append("with c: x.n += 1; c.notify_all()")
    parts.append("print(x.n, x.m, y.n, items, x.items, turn, seen, len(tries))")
    return "\n".join(parts) + "\n"
