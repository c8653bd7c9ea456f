"""Random programs in Python whose threads take permits of semaphores and give them back, mostly around accesses of data
and critical sections, and often without the discipline that makes these operations parts of the steps beside them:
permits tested, looked at, taken while a lock is held, given back too often.

A program prints its final state, what threads have seen included. It is small: ``dfs`` ends within some thousand
executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import threading


class Box:
    pass


x, d, seen = Box(), [], [[] for _ in range(4)]
x.n = x.m = 0
l, m, e = threading.Lock(), threading.Lock(), threading.Event()
"""

_SEMAPHORES = (
    "s, t = threading.Semaphore(1), threading.Semaphore(0)",
    "s, t = threading.Semaphore(2), threading.Semaphore(0)",
    "s, t = threading.Semaphore(2), threading.Semaphore(1)",
    "s, t = threading.BoundedSemaphore(2), threading.Semaphore(0)",
    "s, t = threading.BoundedSemaphore(1), threading.BoundedSemaphore(1)",
    "s, t = threading.Semaphore(0), threading.Semaphore(0)",
)

#: What keeps the discipline; ``{i}`` is the thread's number, ``{k}`` a number.
_PLAIN = (
    "with s: x.n += 1",
    "with s: x.n = {k}",
    "with s: seen[{i}].append(x.n)",
    "with s: pass",
    "with s:\n    with l: x.n += 1",
    "with s:\n    with l: x.n *= 2",
    "with s:\n    with l: d.append({i})\n    with l: d.append({i})",
    "with s:\n    with l: x.n += 1\n    x.m = {i}",
    "with l: x.n += 1",
    "with l: x.n = x.n * 2 + {i}",
    "x.m = {i}",
    "seen[{i}].append(x.m)",
    "d.append({i})",
    "s.acquire()\nd.append({i})",
    "s.acquire()\nwith l: x.n += 1",
    "t.acquire()\nseen[{i}].append(x.m)",
    "t.acquire()",
    "s.acquire()\nt.release()",
    "t.acquire()\nd.append({i})\ns.release()",
    "x.m += 1\nt.release()",
    "with l: x.n += 1\nt.release()",
    "with l:\n    x.n += 1\n    t.release()",
    "with l:\n    x.n += 1\n    if x.n == 2: t.release(2)",
    "t.release()",
    "t.release(2)",
    "s.release()",
    "with s:\n    with t: d.append({i})",
    "with t:\n    with s: x.n += 1",
)

#: What breaks it, somehow.
_OTHERWISE = (
    "if s.acquire(blocking=False):\n    x.n += 1\n    s.release()",
    "seen[{i}].append(t.acquire(blocking=False))",
    "seen[{i}].append(s.acquire(blocking=False))",
    "seen[{i}].append(s._value)",
    "seen[{i}].append(repr(t)[-4:])",
    "with l: s.acquire()\nx.n += 1\ns.release()",
    "with l:\n    with s: x.n += 1",
    "with s:\n    l.acquire(); x.n += 1; l.release()",
    "with m:\n    with l: x.n += 1",
    "with l:\n    with m: x.n += 1",
    "with s:\n    with m: x.n += 1",
    "with s: e.set()",
    "e.wait()",
    "with s:\n    if l.acquire(blocking=False): x.n += 1; l.release()",
    "x.n += 1",
    "with s: raise ValueError",
    "with s: assert x.n < 2",
    "for _ in range(2):\n    with s: x.n += 1",
)

_ENDS = (
    "print(x.n, x.m, d, seen)",
    "print(x.n, x.m, sorted(d), seen)",
    "print(x.n, x.m, seen, s._value, t._value)",
    "with l: print(x.n, x.m, len(d), seen)",
)


def drawn_with_semaphores(number: int) -> str:
    """The source of the program with this number."""
    chance = random.Random(number)
    otherwise = chance.choice((0.0, 0.0, 0.15, 0.4))
    threads = chance.choice((2, 3, 3))
    parts = [_HEAD, chance.choice(_SEMAPHORES)]
    alike = chance.random() < 0.3
    for i in range(threads):
        length = chance.randint(1, 2 if threads == 3 else 3)
        body = []
        for _ in range(length):
            kinds = _OTHERWISE if chance.random() < otherwise else _PLAIN
            body.append(chance.choice(kinds).replace("{i}", str(i)).replace("{k}", str(chance.randrange(2))))
        parts.append(f"def t{i}():\n" + textwrap.indent("\n".join(body), "    "))
    daemons = chance.random() < 0.1
    functions = ", ".join([f"t{0 if alike else i}" for i in range(threads)])
    parts.append(f"ts = [threading.Thread(target=t, daemon={daemons}) for t in ({functions})]")
    parts.append("for t_ in ts: t_.start()")
    if chance.random() < 0.3:
        parts.append(chance.choice(_PLAIN).replace("{i}", "3").replace("{k}", "0"))
    joined = chance.choice(("ts", "ts", "ts", "ts[:1]", "ts[1:]", "[]"))
    if joined != "[]":
        parts.append(f"for t_ in {joined}: t_.join()")
    parts.append(chance.choice(_ENDS))
    return "\n".join(parts) + "\n"
