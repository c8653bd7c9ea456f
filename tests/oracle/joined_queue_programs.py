"""Random programs in Python whose threads put items into queues, finish them, and wait until all are finished; often
without the discipline by which these operations commute: the number looked at, a queue with a maximum size, tasks
finished that were never got, puts before and after other threads have lived.

A program prints its final state, what threads have seen included. It is small: ``dfs`` ends within some thousand
executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import queue
import threading


class Box:
    pass


x, d, seen = Box(), [], [[] for _ in range(4)]
x.n = x.m = 0
l, e, s = threading.Lock(), threading.Event(), threading.Semaphore(1)
"""

_QUEUES = ("queue.Queue()", "queue.Queue()", "queue.Queue()", "queue.Queue()", "queue.Queue(1)", "queue.Queue(2)")

#: What keeps the discipline; ``{i}`` is the thread's number, ``{k}`` a number.
_PLAIN = (
    "q.put({k})",
    "q.put({k})",
    "q.put({i})\nx.m = {i}",
    "q.get()\nq.task_done()",
    "q.get()\nq.task_done()",
    "q.get()\nq.task_done()\nd.append({i})",
    "q.get()\nd.append({i})\nq.task_done()",
    "q.get()",
    "q.get()\nwith l: x.n += 1\nq.task_done()",
    "seen[{i}].append(q.get())\nq.task_done()",
    "with l: x.n += 1",
    "x.m = {i}",
    "q.join()\nd.append({i})",
    "q.join()\nseen[{i}].append(len(d))",
    "q.join()\nwith l: seen[{i}].append(x.n)",
    "q.join()\nseen[{i}].append(x.m)",
    "q.join()\nq.put({i})",
    "q.put({k})\nq.join()",
    "q.put({k})\nq.put({k})\nq.join()\nd.append({i})",
    "with s: q.put({k})",
    "with s: d.append({i})",
)

#: What breaks it, somehow.
_OTHERWISE = (
    "seen[{i}].append(q.unfinished_tasks)",
    "q.task_done()",
    "q.get()\nq.task_done()\nq.task_done()",
    "seen[{i}].append(q.qsize())",
    "try: q.get_nowait()\nexcept queue.Empty: pass\nelse: q.task_done()",
    "with l: q.join()",
    "with l: q.put({k})",
    "with l:\n    q.get()\n    q.task_done()",
    "with q.all_tasks_done: seen[{i}].append(q.unfinished_tasks)",
    "e.set()",
    "e.wait()\nq.join()",
    "q.maxsize = 1",
    "assert not d",
    "while not d: q.join()",
)

_ENDS = (
    "print(x.n, x.m, d, seen)",
    "print(x.n, x.m, sorted(d), seen)",
    "q.join()\nprint(x.n, x.m, d, seen)",
    "with l: print(x.n, x.m, len(d), seen)",
)


def drawn_with_joined_queues(number: int) -> str:
    """The source of the program with this number."""
    chance = random.Random(number)
    otherwise = chance.choice((0.0, 0.0, 0.15, 0.4))
    threads = chance.choice((2, 3, 3, 4))
    parts = [_HEAD, f"q = {chance.choice(_QUEUES)}"]
    parts += [f"q.put({item})" for item in range(chance.choice((0, 0, 1, 2)))]
    if chance.random() < 0.1:  # threads that live and end before the others
        parts.append("t_ = threading.Thread(target=lambda: (q.put(5), d.append(5)))\nt_.start()\nt_.join()\nq.put(6)")
    alike = chance.random() < 0.25
    for i in range(threads):
        length = chance.randint(1, 2 if threads >= 3 else 3)
        body = []
        for _ in range(length):
            kinds = _OTHERWISE if chance.random() < otherwise else _PLAIN
            body.append(chance.choice(kinds).replace("{i}", str(i)).replace("{k}", str(chance.randrange(2))))
        parts.append(f"def t{i}():\n" + textwrap.indent("\n".join(body), "    "))
    daemons = chance.random() < 0.15
    functions = ", ".join([f"t{0 if alike else i}" for i in range(threads)])
    parts.append(f"ts = [threading.Thread(target=t, daemon={daemons}) for t in ({functions})]")
    parts.append("for t_ in ts: t_.start()")
    if chance.random() < 0.5:
        parts.append(chance.choice(_PLAIN).replace("{i}", "3").replace("{k}", "0"))
    joined = chance.choice(("ts", "ts", "ts", "ts[:1]", "ts[1:]", "[]"))
    if joined != "[]":
        parts.append(f"for t_ in {joined}: t_.join()")
    parts.append(chance.choice(_ENDS))
    return "\n".join(parts) + "\n"
