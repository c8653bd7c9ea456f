"""Random programs in Python whose threads sleep, for times that let them outrun each other or not, and do all kinds of
things when they go on: access data, set events, take locks, wait with limits, poll, start threads, sleep again.

A program prints its final state, what threads have seen included. It is small: a search of all orders that the clocks
allow ends within some hundred executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import queue
import threading
import time


class Box:
    pass


x, seen = Box(), [[] for _ in range(3)]
x.n = x.m = 0
l, e, q, s = threading.Lock(), threading.Event(), queue.Queue(), threading.Semaphore(0)
"""

#: What follows a sleep at once; ``{i}`` is the thread's number, ``{t}`` a time.
_AFTER = (
    "x.n = {i}",
    "x.n = {i}",
    "x.m = {i}",
    "x.n += 1",
    "seen[{i}].append(x.n)",
    "seen[{i}].append(x.m)",
    "seen[{i}].append(e.is_set())",
    "e.set()",
    "e.set()",
    "e.clear()",
    "q.put({i})",
    "seen[{i}].append(q.get())",
    "with l: x.n += 1",
    "with l: time.sleep({t})",
    "seen[{i}].append(l.acquire(blocking=False)) or seen[{i}][-1] and l.release()",
    "s.release()",
    "seen[{i}].append(s.acquire(timeout={t}))",
    "seen[{i}].append(e.wait({t}))",
    "seen[{i}].append(e.wait({t}))",
    "time.sleep({t})",
    "pass",
    "seen[{i}].append(round(time.monotonic() - begun, 2))",
    "assert x.n < 2",
    "threading.Thread(target=lambda: seen[{i}].append(x.n)).start()",
    "while not e.wait({t}): x.m += 1; e.set()",
    "while not x.n: time.sleep({t}); x.n = 1",
)

#: What a thread does elsewhere.
_ELSEWHERE = (*["time.sleep({t})"] * 8, *_AFTER)


def drawn_with_sleeps(seed: int) -> str:
    """The source of a program."""
    choose = random.Random(seed)
    lines, threads = [_HEAD, "begun = time.monotonic()"], choose.choice((2, 2, 3))
    for number in range(threads):
        body = []
        for _ in range(choose.choice((1, 2)) if threads == 2 else 1):
            body += [choose.choice(_ELSEWHERE), choose.choice(("time.sleep({t})", *_AFTER)), choose.choice(_AFTER)]
        text = "\n".join(each.format(i=number, t=choose.choice((0.01, 0.05, 0.15, 0.3))) for each in body)
        lines += [f"def t{number}():", textwrap.indent(text, "    ")]
    names = ", ".join(f"t{number}" for number in range(threads))
    lines += [
        f"ts = [threading.Thread(target=t, daemon=True) for t in ({names},)]",
        "for t in ts: t.start()",
        choose.choice(("pass", "pass", "time.sleep(0.05)\nx.n = 5", "time.sleep(0.05)\ne.set()")),
        "for t in ts: t.join()",
        "print(seen, x.n, x.m, e.is_set(), q.qsize())",
        "",
    ]
    return "\n".join(lines)
