"""Random programs in Python whose threads share data under locks, mostly with the discipline that makes critical
sections atomic, and often without: nested and tested locks, accesses outside, conditions, sections that never end. Some
write to files, which others may read.

A program prints its final state, what threads have seen included. It is small: ``dfs`` ends within some hundred
executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import threading
from collections import Counter, defaultdict
from queue import Queue


class Box:
    pass


x, d, seen, counted, found = Box(), {}, [[] for _ in range(4)], Counter(), defaultdict(int)
x.n = x.m = 0
x.f, x.s = 0.5, ""
l, m, r = threading.Lock(), threading.Lock(), threading.RLock()
c, e, q = threading.Condition(l), threading.Event(), Queue()
"""

#: What keeps the discipline; ``{i}`` is the thread's number, ``{k}`` a key.
_GUARDED = (
    "with l: x.n += 1",
    "with l: x.n += 1",
    "with l: x.n -= 2",
    "with l: x.m += 1",
    "with l: x.n += 1; x.m += 2",
    "with r: x.m += 1",
    "with r:\n    with r: x.m += 1",
    "with m: x.m += 1",
    "with l: d[{k}] = {i}",
    "with l: d[{i}] = {k}",
    "with l: d[{i}] = x.n",
    "with l: x.n += x.n",
    "with l: x.n += x.m",
    "with l: v = x.n; x.n = v * 2",
    "with l: x.n = {k}",
    "with l:\n    if x.n: x.m += 1",
    "with l: x.n *= 3",
    "with l: x.f += 0.1",
    "with l: x.s += '{i}'",
    "with l: d.pop({k}, None)",
    "with l: d[{k}] = d.get({k}, 0) + 1",
    "with l: seen[{i}].append(x.n)",
    "with l: seen[{i}].append({k} in d)",
    "with l: seen[{i}].append(len(d))",
    "with l: seen[{i}].append(list(d))",
    "with l: counted[{k}] += 1",
    "with l: counted[{k}] += 1; found[{i}] += {k}",
    "with l: found[{k}] += 1",
    "with l: found.pop({k}, 0)",
    "with l: d.setdefault({k}, {i})",
    "with l: d.setdefault({i}, 0); d[{i}] += 1",
    "with l:\n    if {k} not in d: d[{k}] = {i}",
    "with l: counted[{i}] = counted.get({i}, 0) + 1",
    "with l: seen[{i}].append(next(iter(d), None))",
    "with l:\n    for each in d: seen[{i}].append(each)",
    "with l: seen[{i}].append(sum(d.values()))",
    "with l: seen[{i}].append(dict(found) == {0: {i}, 1: {k}})",
    "with l: seen[{i}].append(found[{k}])",
    "with l: seen[{i}].append(counted[{k}])",
    "with l: counted.update([{k}])",
    "with l: assert x.n < 2",
    "with l: pass",
    "for _ in range(2):\n    with l: x.n += 1",
    "for _ in range(9):\n    with l:\n        if x.n: break",
)

#: What breaks it, somehow.
_OTHERWISE = (
    "x.n += 1",
    "x.m = {k}",
    "d[{k}] = {i}",
    "seen[{i}].append(x.n)",
    "seen[{i}].append(list(d))",
    "with m: x.n += 1",
    "with l:\n    with m: x.n += 1",
    "with m:\n    with l: x.m += 1",
    "if l.acquire(blocking=False):\n    x.n += 1\n    l.release()",
    "if l.acquire(timeout=1):\n    x.n += 1\n    l.release()",
    "l.acquire(); x.n += 1",
    "if not x.m: l.acquire(); x.n += 1; l.release()",
    "seen[{i}].append(l.locked())",
    "with l: e.set()",
    "e.set()",
    "with c: x.n += 1; c.notify()",
    "with c:\n    if not x.n: c.wait()",
    "with l: raise ValueError",
    "with l: q.put({i})",
    "q.put(x.n)",
    "with l: seen[{i}].append(threading.active_count())",
)

#: What only adds, in one step without a lock, and what looks at it, or takes it away.
_ALONE = (
    *["d[{i}] = {k}", "d[{k}] = {i}", "d[{i}, {k}] = x.n"] * 4,
    *["d.setdefault({k}, {i})", "found[{k}]", "seen[{i}].append(found[{i}])"] * 2,
    "d[{i}] = {k}; x.m = {i}",
    "d[{i}] = None",
    "with l: d[{i}] = {k}",
    "with m: d[{i}] = {k}; d[{i}, 2] = 1",
    "with l: x.n += 1; d[{i}] = 1",
    "with l: x.n += 1",
    "d.update({{i}: {k}})",
    "seen[{i}].append({k} in d)",
    "seen[{i}].append(d.get({k}))",
    "seen[{i}].append(len(d))",
    "seen[{i}].append(sorted(map(str, d)))",
    "seen[{i}].append(list(d))",
    "seen[{i}].append(next(reversed(d), None))",
    "with l: seen[{i}].append(len(d)); x.n += 1",
    "for each in list(d): seen[{i}].append(each)",
    "for each in d: seen[{i}].append(each)",
    "d.pop({k}, None)",
    "if d: seen[{i}].append(d.popitem())",
    "d.clear()",
    "if {k} in d: d[{k}] = x.n",
    "q.put({i})",
    "e.set()",
    "e.is_set() and seen[{i}].append(list(d))",
)

_ENDS = (
    "print(x.n, x.m, x.f, x.s, sorted(d.items()), seen)",
    "print(x.n, x.m, list(d.items()), seen)",
    "print(x.n, x.m, len(d), seen)",
    "print(dict(d) == {0: 1, 1: 2}, sorted(d.values()), max(counted.values(), default=0), set(found.items()), seen)",
    "print(sum(d.values()), {0: 1, 1: 1} != dict(counted), [found[k] for k in range(3)], 1 in d, d.get(0), seen)",
    "print(x.n, x.m, seen)",
    "print(sorted(counted.items()), sorted(found.items()), seen)",
    "print(list(counted), list(found), seen)",
    "print(x.n, x.m, d == {0: 1}, seen)",
    "with l: print(x.n, x.m, seen)",
)

_FILES = """\
import os

path = __file__ + ".log"
f, g = open(path, "a"), open(path, "ab", buffering=0)
"""

_GUARDED_FILES = (
    *["with l: f.write('{i}')"] * 3,
    *["with l: f.write('{i}'); f.flush()"] * 2,
    "with l: x.n += 1; f.write('{i}')",
    "with l: f.write(str(x.n))",
    "with l: f.writelines(['{i}', '{k}'])",
    "with l: print({i}, {k}, file=f)",
    "with l: print({i}, file=f, flush=True)",
    "with l: f.flush()",
    "with l: f.close()",
    "with l: f.closed or f.write('{i}')",
    "with l: f.truncate({k})",
    "with l: g.write(b'{i}')",
    "with m: g.write(b'{i}')",
    "with l: os.write(g.fileno(), b'{i}')",
    "with l:\n    with open(path, 'a') as h: h.write('{i}')",
    "with l:\n    with open(path, 'w') as h: h.write('{i}')",
    "with l: seen[{i}].append(f.tell())",
    "with l: seen[{i}].append(f.seek(0, 2))",
    "with l: seen[{i}].append(os.path.getsize(path))",
    "with l: seen[{i}].append(open(path).read())",
    "with m: seen[{i}].append(open(path).read())",
)

_OTHERWISE_FILES = (
    "f.write('{i}')",
    "g.write(b'{i}')",
    "f.flush()",
    "f.close()",
    "seen[{i}].append(open(path).read())",
    "seen[{i}].append(os.path.getsize(path))",
    "os.path.exists(path) and os.remove(path)",
)

_ALONE_FILES = (
    *["f.write('{i}')", "g.write(b'{i}')", "print({i}, {k}, file=f)"] * 4,
    "f.write('{i}'); f.flush()",
    "f.write(str(x.n))",
    "with l: f.write('{i}'); x.n += 1",
    "d[{i}] = f.write('{i}')",
    *_OTHERWISE_FILES[2:-1],
    "seen[{i}].append(f.tell())",
    "with l: seen[{i}].append(open(path).read())",
)

_ENDS_FILES = (
    "print(x.n, x.m, seen)",
    "f.close(); print(x.n, x.m, seen)",
    "f.closed or f.flush(); print(open(path).read() if os.path.exists(path) else None, seen)",
    "print(os.path.exists(path) and os.path.getsize(path), seen)",
)

_ELEMENTS = """\
from collections import deque

got, texts, line, last, names = [], [], deque(), deque(maxlen=1), set()
"""

_ADDED_ELEMENTS = (
    *["got.append({i})", "texts.append('{k}')", "line.append(({i}, {k}))"] * 3,
    *["names.add({i})", "names.add({k})", "names.discard({k})", "d[{i}] = {k}", "d.pop({k}, None)"] * 2,
    "last.append({i})",
    "got.append({i}); names.add({i})",
    "got.append(True)",
    "got.append(x.n)",
    "got.append('{i}')",
    "names.add({i}); names.discard({i})",
    "{k} in names and names.remove({k})",
    "{k} in d and d.pop({k})",
    "d[{i}] = 1; del d[{i}]",
)

_SEEN_ELEMENTS = (
    "seen[{i}].append(len(got))",
    "seen[{i}].append(len(names))",
    "seen[{i}].append(len(d))",
    "seen[{i}].append({k} in names)",
    "seen[{i}].append({k} in got)",
    "seen[{i}].append({k} in d)",
    "seen[{i}].append(sum(got))",
    "seen[{i}].append(sorted(texts))",
    "seen[{i}].append(sorted(names))",
    "seen[{i}].append(list(names))",
    "seen[{i}].append(list(d))",
    "seen[{i}].append(texts[-1:])",
    "seen[{i}].append(not line)",
    "if got: seen[{i}].append(got.pop())",
    "if line: seen[{i}].append(line.popleft())",
    "if names: seen[{i}].append(names.pop())",
    "got.extend([{i}, {k}])",
    "texts.insert(0, '{i}')",
    "got[:] = [{k}]",
    "names.update((0, {i}))",
    "names.clear()",
)

_GUARDED_ELEMENTS = tuple([f"with l:\n    {each}" for each in (*_ADDED_ELEMENTS * 3, *_SEEN_ELEMENTS)])

_ENDS_ELEMENTS = (
    "print(sorted(got), sorted(texts), sorted(line), names == {0, 1}, len(d), seen)",
    "print(sum(got), max(texts, default=0), len(line), sorted(names), seen)",
    "print(set(texts) == {'0'}, len(set(line)), bool(got), any(got), sorted(d.items()), seen)",
    "print(len(got), len(texts), not line, len(names), seen)",
    "print(got, seen)",
    "print(sorted(texts, key=len), seen)",
    "print(max(line, key=lambda each: 0, default=0), list(names), seen)",
    "print(list(d), got == [0, 1], seen)",
    "print(last, {0: texts} == {0: ['0', '1']}, seen)",
    "print([each for each in got], seen)",
    "print(seen)",
)


def drawn_guarded(number: int, what: str = "keys", alone: bool = False) -> str:
    """The source of the program with this number, whose threads add ``keys``, ``elements``, or to ``files``; ``alone``:
    in one step, mostly without a lock."""
    chance = random.Random(number)
    guarded, otherwise_, ends = _GUARDED, _OTHERWISE, _ENDS
    if what == "files":
        guarded, otherwise_, ends = (*guarded[:12], *_GUARDED_FILES), (*otherwise_[:7], *_OTHERWISE_FILES), _ENDS_FILES
    elif what == "elements":
        guarded, otherwise_, ends = _GUARDED_ELEMENTS, (*otherwise_[:7], *_SEEN_ELEMENTS), _ENDS_ELEMENTS
    if alone and what == "elements":
        guarded = (*_ADDED_ELEMENTS * 3, *_SEEN_ELEMENTS, *_GUARDED_ELEMENTS[:20])
    elif alone:
        guarded = (*_ALONE_FILES, *_ALONE[-4:]) if what == "files" else _ALONE
    otherwise = chance.choice((0.0, 0.0, 0.15, 0.4))
    threads = chance.choice((2, 2, 3))
    parts = [_HEAD, {"keys": "", "elements": _ELEMENTS, "files": _FILES}[what]]
    for i in range(threads):
        length = chance.randint(1, 2 if threads == 3 else 3)
        body = []
        for _ in range(length):
            kinds = otherwise_ if chance.random() < otherwise else guarded
            body.append(chance.choice(kinds).replace("{i}", str(i)).replace("{k}", str(chance.randrange(2))))
        parts.append(f"def t{i}():\n" + textwrap.indent("\n".join(body), "    "))
    daemons = chance.random() < 0.1
    functions = ", ".join([f"t{i}" for i in range(threads)])
    parts.append(f"ts = [threading.Thread(target=t, daemon={daemons}) for t in ({functions})]")
    parts.append("for t in ts: t.start()")
    if chance.random() < 0.3:
        parts.append(chance.choice(guarded).replace("{i}", "3").replace("{k}", "0"))
    joined = chance.choice(("ts", "ts", "ts", "ts[:1]", "ts[1:]", "[]"))
    if joined != "[]":
        parts.append(f"for t in {joined}: t.join()")
    parts.append(chance.choice(ends))
    return "\n".join(parts) + "\n"
