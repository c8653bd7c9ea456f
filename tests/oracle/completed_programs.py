"""Random programs in Python that take futures as they are completed: from one or two calls, of pools and of threads
that set results, with loops that are left early, or submit more tasks.

A program prints its final state, the order of the futures included. It is small: a search of CPython's own code ends
within some thousand executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait


class Box:
    pass


x, seen, l, lonely = Box(), [], threading.Lock(), Future()
x.n = x.m = 0


def fail():
    raise ValueError


"""

#: What a task does; ``{i}`` is its number.
_TASKS = (
    "return {i}",
    "return {i}",
    "return {i}",
    "x.m = {i}",
    "x.m = {i}",
    "x.n += 1",
    "with l: x.n += 1",
    "return x.m",
    "fail()",
    "if x.n: fail()",
    "seen.append({i})",
)

#: What the thread that iterates does with each future.
_BODIES = (
    "seen.append(names[f])",
    "seen.append(names[f])",
    "seen.append((names[f], f.exception() is None))",
    "seen.append((names[f], x.m))",
    "x.m = names[f]",
    "x.n += 1",
    "seen.append(sum(each.done() for each in names))",
    "seen.append(names[f])\nif x.m: break",
    "seen.append(names[f])\nbreak",
    "seen.append(names[f])\nif lonely not in names and not lonely.done(): lonely.set_result(0)",
    "seen.append(next(later, None) is None)",
)

#: What the main thread does before it iterates, and after.
_AROUND = (
    "pass",
    "pass",
    "x.m = 7",
    "wait(names, return_when=FIRST_COMPLETED)",
    "seen.append(len(wait(list(names)[:1]).done))",
    "seen.append(list(names)[0].done())",
)


def drawn_with_completions(seed: int) -> str:
    """The source of a program."""
    choose = random.Random(seed)
    tasks = range(choose.choice((2, 2, 3)))
    lines = [_HEAD]
    for number in tasks:
        lines += [f"def task{number}():", textwrap.indent(choose.choice(_TASKS).format(i=number), "    ")]
    lines += ["", "", "def give():", "    x.m = 9", "    lonely.set_result(1)", "", ""]
    is_lonely, is_twice = choose.random() < 0.25, choose.random() < 0.15
    body = [f"names = {{pool.submit(task{number}): {number} for _ in '.'}}" for number in tasks][:1]
    body += [f"names[pool.submit(task{number})] = {number}" for number in tasks[1:]]
    body += ["giver = threading.Thread(target=give)"]
    if is_lonely:
        body += ["names[lonely] = 9", "giver.start()"]
    body += ["later = as_completed(list(names)[:1])", choose.choice(_AROUND)]
    body += ["for f in as_completed(names):", textwrap.indent(choose.choice(_BODIES), "    ")]
    if is_twice:
        body += ["for f in as_completed(names): seen.append(-names[f])"]
    body += [choose.choice(_AROUND)]
    lines += ["with ThreadPoolExecutor(2) as pool:", textwrap.indent("\n".join(body), "    ")]
    lines += ["print(seen, x.n, x.m)", ""]
    return "\n".join(lines)
