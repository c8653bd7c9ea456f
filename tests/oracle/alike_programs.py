"""Random programs in Python, several threads of which make the same call, mostly in ways in which nothing tells them
apart, and often in others: names and identifiers looked at, joins of some only, arguments that differ.

A program prints its final state. It is small: ``dfs`` ends within some hundred executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import threading
from queue import Queue


class Box:
    pass


x, d, seen, box = Box(), {}, [], []
x.n = x.m = 0
l, m, e, q = threading.Lock(), threading.Lock(), threading.Event(), Queue()
s = threading.Semaphore(1)
c = threading.Condition(l)
two, three = threading.Barrier(2), threading.Barrier(3)
q.put(1)
"""

#: What a thread does; ``{k}`` is a number.
_STEPS = (
    "x.n += 1",
    "x.m = {k}",
    "v = x.n; x.m = v + 1",
    "if not x.n: x.n = 1",
    "if x.m: seen.append(x.m)",
    "seen.append(x.n)",
    "seen.append({k})",
    "d[{k}] = x.n",
    "with l: x.n += 1",
    "with l: v = x.n; x.n = v * 2 + 1",
    "with l: seen.append(x.n)",
    "with l:\n    if not box: box.append(Box())\nseen.append(len(box))",
    "with l:\n    with m: x.m += 1",
    "with s: x.m += 1",
    "if l.acquire(blocking=False):\n    x.n += 1\n    l.release()",
    "if x.n: e.set()\nelse: x.n = 1",
    "e.set()",
    "if e.is_set(): x.n += 1",
    "if not q.empty(): q.get(); q.put(2)",
    "q.put({k})",
    "with c:\n    x.n += 1\n    c.notify()",
    "with c:\n    if not x.n: c.wait(1)\n    x.n -= 1",
    "two.wait(); x.n += 1",
    "three.wait(); x.n += 1",
    "x.m = {k}\ntwo.wait()\nseen.append(x.m)",
    "seen.append(two.wait())",
    "assert x.n < 2",
    "assert x.m != 2 or not x.n",
    "own = threading.local(); own.v = x.n; x.n = own.v + 1",
    "t = threading.Thread(target=lambda: seen.append(x.n)); t.start(); t.join()",
)

#: What tells threads apart.
_LOOKS = (
    "seen.append(threading.current_thread().name[-1])",
    "seen.append(threading.get_ident() == names[0].ident)",
    "if threading.current_thread() is names[0]: x.n += 1",
    "seen.append(names[0].is_alive())",
    "seen.append(names[-1].name)",
    "if threading.current_thread() is not names[0]: names[0].join()",
    "seen.append(len(threading.enumerate()))",
    "seen.append(threading.active_count())",
    "if len(names) > 1: x.m += 1",
)

_JOINS = (
    "for t in names: t.join()",
    "for t in names: t.join()",
    "for t in reversed(names): t.join()",
    "names[0].join()",
    "names[-1].join()",
    "for t in names:\n    t.join()\n    seen.append(x.n)",
    "for t in names: t.join(1)",
    "while any(t.is_alive() for t in names): names[0].join()",
    "",
)


def drawn_alike(number: int) -> str:
    """The source of the program with this number."""
    chance = random.Random(number)
    otherwise = chance.choice((0.0, 0.0, 0.0, 0.2))
    threads = chance.choice((2, 2, 3))
    parts = [_HEAD]

    def body(most: int) -> str:
        drawn = []
        for _ in range(chance.randint(1, most)):
            kinds = _LOOKS if chance.random() < otherwise else _STEPS
            drawn.append(chance.choice(kinds).replace("{k}", str(chance.randrange(3))))
        return textwrap.indent("\n".join(drawn), "    ")

    parts.append("def work(k):\n" + body(2 if threads == 2 else 1))
    parts.append("def other():\n" + body(1))
    arguments = chance.choice(("(1,)", "(1,)", "(box,)", "(i,)"))
    daemon = chance.random() < 0.1
    start = f"names.append(threading.Thread(target=work, args={arguments}, daemon={daemon})); names[-1].start()"
    between = chance.choice(("", "", "", "x.m += 1", "if i == 1: threading.Thread(target=other).start()"))
    parts.append(f"names = []\nfor i in range({threads}):\n    {start}" + (f"\n    {between}" if between else ""))
    if chance.random() < 0.3:
        parts.append("threading.Thread(target=other).start()")
    if chance.random() < 0.3:
        parts.append(chance.choice(_STEPS).replace("{k}", "0").replace("if not x.n: c.wait(1)", "pass"))
    parts.append(chance.choice(_JOINS))
    parts.append("print(x.n, x.m, sorted(map(str, seen)) if len(seen) > 3 else seen, d)")
    return "\n".join(part for part in parts if part) + "\n"
