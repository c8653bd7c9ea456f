"""Draws small Python programs whose threads share builtin containers, for ``ncmc``, which takes operations on them for
calls.

A program has a function ``scenario()``, which starts the threads, joins them and returns all values that they saw, and
the final content of the containers. Programs of one number are the same everywhere. Most use only operations that the
specifications of the containers have (``plain``); others do one thing more, at any place.
"""

from __future__ import annotations

import random
from typing import Final

_HEAD: Final = """\
import threading
from collections import Counter, OrderedDict, defaultdict, deque


class Box:
    pass


def attempt(operation):
    try:
        return operation()
    except Exception as error:
        return type(error).__name__


def scenario():
    box = Box()
    x = {made}
"""

#: Kind of container -> how it is made, the operations on it, the expression for its final state, and operations that
#: specifications do not have. ``K`` and ``V`` are a key and a value.
_KINDS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], str, tuple[str, ...]]]] = {
    "set": (
        ("set()", "{1}", "{0, 2}"),
        ("x.add(K)", "x.add(K)", "x.discard(K)", "x.remove(K)", "K in x", "K not in x", "len(x)", "x.clear()"),
        "(len(x), 0 in x, 1 in x, 2 in x, (0,) in x, None in x)",
        (
            "sorted(map(str, x))",
            "x.update([K])",
            "[each for each in x] and 1",
            "x.pop()",
            "repr(x)",
            "x == {1}",
            "x | {K}",
        ),
    ),
    "dict": (
        ("{}", "{1: 1}", "{0: 0, 2: None}"),
        (
            *("x.__setitem__(K, V)", "x.setdefault(K, V)", "x.get(K)", "x.get(K, V)", "x.pop(K)", "x.pop(K, V)"),
            *("x[K]", "K in x", "len(x)", "x.clear()", "store(x, K, V)", "remove(x, K)", "count(x, K)"),
        ),
        "(len(x), x.get(0), x.get(1), x.get(2), x.get((0,)), x.get(None))",
        ("list(x)", "x.update({K: V})", "x.items() and 1", "repr(x)", "x.popitem()", "dict(x)", "store(x, K, [])"),
    ),
    "list": (
        ("[]", "[1]", "[0, 2]"),
        (
            *("x.append(V)", "x.append(V)", "x.pop()", "x.remove(V)", "x[0]", "x[-1]", "V in x", "len(x)", "x.clear()"),
            *("store(x, 0, V)", "count(x, 0)"),
        ),
        "(len(x), attempt(lambda: x[0]), attempt(lambda: x[1]), attempt(lambda: x[-1]))",
        (
            "x.insert(0, V)",
            "x.pop(0)",
            "x[:]",
            "x[:1] == [V]",
            "repr(x)",
            "x.extend([V])",
            "sum(map(bool, x))",
            "x.append([])",
        ),
    ),
    "deque": (
        ("deque()", "deque([1])", "deque([0, 2])"),
        ("x.append(V)", "x.appendleft(V)", "x.pop()", "x.popleft()", "V in x", "len(x)", "x.clear()"),
        "(len(x), attempt(x.popleft), attempt(x.pop), attempt(x.pop))",
        ("x.rotate()", "x[0]", "list(x)", "x.extend([V])", "repr(x)", "x.append([])"),
    ),
    "counter": (
        ("Counter()", "Counter([1])", "Counter([0, 0])"),
        ("count(x, K)", "count(x, K)", "x[K]", "K in x", "store(x, K, 2)", "remove(x, K)"),
        "(x[0], x[1], x[2], x[None], 0 in x, 1 in x)",
        ("x.update([K])", "x.most_common()", "x.total()", "len(x)", "repr(x)", "+x and 1"),
    ),
    "other": (
        ("OrderedDict()", "defaultdict(int)", "deque(maxlen=2)"),
        ("len(x)", "V in x"),
        "repr(x)",
        ("x.clear()",),
    ),
}

_MORE: Final = """
def store(x, k, v):
    x[k] = v


def remove(x, k):
    del x[k]


def count(x, k):
    x[k] += 1
"""

_KEYS: Final = ("0", "1", "1", "2", "True", "(0,)", "None", "1.0")
_VALUES: Final = ("0", "1", "2", "None", "True", "'a'")


def random_client(number: int) -> tuple[str, bool]:
    """The source of a program, and whether it is plain."""
    rng = random.Random(f"containers {number}")
    kind = rng.choice(("set", "dict", "list", "deque", "counter", "dict", "set", "other"))
    made, does, ends, more = _KINDS[kind]
    plain = rng.random() < 0.7 and kind != "other"
    threads = rng.choice((2, 2, 3))
    counts = [rng.randrange(1, 4 if threads == 2 else 3) for _ in range(threads)]
    odd = None if plain else (rng.randrange(threads + 1), 0)
    lines = [_HEAD.replace("{made}", rng.choice(made))]
    for thread, count in enumerate(counts):
        lines.append(f"    def work{thread}():\n        seen = ()\n")
        for place in range(count):
            does_more = odd == (thread, place)
            lines.append(_operation(rng, more if does_more else does, does))
        lines.append(f"        box.t{thread} = seen\n")
    names = ", ".join(f"work{thread}" for thread in range(threads))
    lines.append(f"    threads = [threading.Thread(target=each) for each in ({names})]\n")
    lines.append("    for each in threads:\n        each.start()\n    for each in threads:\n        each.join()\n")
    shown = ", ".join(f"box.t{thread}" for thread in range(threads))
    end = "repr(x)" if odd is not None and odd[0] == threads else ends
    lines.append(f"    return repr(({shown}, {end}))\n")
    return "".join(lines) + "\n" + _MORE, plain


def _operation(rng: random.Random, operations: tuple[str, ...], usual: tuple[str, ...]) -> str:
    operation = _filled(rng, rng.choice(operations))
    line = f"seen = (*seen, attempt(lambda: {operation}))"
    if rng.random() < 0.2:
        return f"        if attempt(lambda: {_filled(rng, rng.choice(usual))}):\n            {line}\n"
    return f"        {line}\n"


def _filled(rng: random.Random, operation: str) -> str:
    return operation.replace("K", rng.choice(_KEYS)).replace("V", rng.choice(_VALUES))
