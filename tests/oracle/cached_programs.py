"""Random programs in Python whose threads call a function with a cache: one that only computes, or one that does not,
in a way that shows; they look at its numbers, clear it, give its name to another function, and so on.

A program prints its final state, what threads have seen included. It is small: ``dfs`` ends within some hundred
executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import functools
import threading


class Box:
    pass


x, seen, base, l = Box(), [[] for _ in range(3)], 1, threading.Lock()
x.n = x.m = 0
own = threading.local()


def other(k):
    return -k


"""

_CACHES = ("lru_cache(maxsize=1)", "lru_cache(maxsize=1)", "lru_cache(maxsize=2)", "lru_cache(maxsize=None)", "cache")

#: What only computes.
_PURE = (
    "return k",
    "return k + 1",
    "return f(k - 1) + f(k - 2) if k > 1 else k",
    "return k if k < 1 else f(k - 1)",
    "if k % 2: return str(k)\nreturn k",
    "n = max(k, 1)\nn += k\nreturn n",
    "return f'{k}!'.upper()[0]",
    "return k < 1",
)

#: What does more, or does not show that it doesn't.
_OTHERWISE = (
    "x.n += 1\nreturn k",
    "x.n += 1\nreturn k if k < 1 else f(k - 1)",
    "return k + x.n",
    "return k + base",
    "return other(k)",
    "return 1 // k",
    "return k / 2",
    "return [k]",
    "return 10 ** 30 + k",
    "with l: x.m += 1\nreturn k",
    "seen[0].append(k)\nreturn k",
    "return len(seen[0])",
    "n = x\nreturn k + n.m",
    "return getattr(own, 'n', 0) + k",
    "def inner(): return k\nreturn inner()",
    "return f.cache_info().misses + k",
    "return threading.current_thread().name and k",
)

#: What threads do; ``{i}`` is the thread's number, ``{k}`` a number.
_CALLS = (
    *["seen[{i}].append(f({k}))"] * 8,
    *["f({k})"] * 3,
    "seen[{i}].append(f({k}) is f({k}))",
    "seen[{i}].append(f({k} == 1))",
    "seen[{i}].append(f({k} * 1.0))",
    "seen[{i}].append(f(k={k}))",
    "seen[{i}] += map(f, [{k}, 1])",
    "seen[{i}].append(functools.partial(f, {k})())",
    "seen[{i}].append(f.__wrapped__({k}))",
    "seen[{i}].append(f.cache_info().misses)",
    "seen[{i}].append(f.cache_info().currsize)",
    "f.cache_clear()",
    "global f\nf = other",
    "x.n = {i}",
    "x.m += 1",
    "own.n = {k}",
    "with l: seen[{i}].append(x.n)",
    "global base\nbase = 5",
)


def drawn_with_caches(seed: int) -> str:
    """The source of a program."""
    choose = random.Random(seed)
    body = choose.choice(_PURE) if choose.random() < 0.55 else choose.choice(_OTHERWISE)
    is_local = choose.random() < 0.3
    define = f"@functools.{choose.choice(_CACHES)}\ndef f(k):\n{textwrap.indent(body, '    ')}\n"
    lines = []
    for number in range(2):
        kinds = [choose.choice(_CALLS) for _ in range(choose.choice((1, 2, 3)))]
        calls = "\n".join(each.format(i=number, k=choose.choice((0, 1, 2, 3))) for each in kinds).splitlines()
        names = dict.fromkeys(each for each in calls if each.startswith("global"))
        text = "\n".join([*names, *[each for each in calls if each not in names]])
        lines += [f"def t{number}():", textwrap.indent(text, "    ")]
    lines += [
        "ts = [threading.Thread(target=t) for t in (t0, t1)]",
        "for t in ts: t.start()",
        "for t in ts: t.join()",
        "print(seen, x.n, x.m, base)",
        choose.choice(("", "", "print(f(2), f(3))", "print(f.cache_info() if f is not other else 0)")),
    ]
    text = define + "\n".join(lines)
    if is_local:
        text = "def main():\n" + textwrap.indent(text.replace("global f", "nonlocal f"), "    ") + "\nmain()"
    return _HEAD + text + "\n"
