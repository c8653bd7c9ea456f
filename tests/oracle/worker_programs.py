"""Random programs in Python with a pool of few workers whose tasks wait: for events, queues, semaphores, locks and
other futures, so that tasks that have not begun may be missing, and the program gets stuck.

A program prints its final state. It is small: a search of CPython's own code ends within some thousand executions.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool


class Box:
    pass


x, seen, l, event, places, items = Box(), [], threading.Lock(), threading.Event(), threading.Semaphore(1), queue.Queue()
x.n = x.m = 0


"""

#: What a task does; ``{i}`` is its number.
_TASKS = (
    "event.wait()",
    "event.wait()\nseen.append({i})",
    "event.set()",
    "x.m = {i}\nevent.set()",
    "items.get()",
    "seen.append(items.get())",
    "items.put({i})",
    "with places: x.m = {i}",
    "with places: seen.append({i})",
    "places.acquire()",
    "places.release()",
    "with l: x.n += 1",
    "x.n += 1",
    "seen.append({i})",
    "return x.m",
    "x.m = {i}",
    "if x.m == 1: event.set()\nelse: x.n += 1",
    "futures[{i} - 1].result() if {i} else 0",
    "futures[0].result() if {i} else event.wait()",
)

#: What the main thread does while the tasks run.
_AROUND = (
    "pass",
    "pass",
    "event.set()",
    "items.put(7)",
    "places.release()",
    "seen.append(x.m)",
    "futures[0].result()",
    "futures[-1].result()",
)


def drawn_with_workers(seed: int) -> str:
    """The source of a program."""
    choose = random.Random(seed)
    count = choose.choice((3, 3, 4))
    lines = [_HEAD]
    for number in range(count):
        lines += [f"def task{number}():", textwrap.indent(choose.choice(_TASKS).format(i=number), "    ")]
    of_library = choose.random() < 0.75
    submit = "pool.submit({0})" if of_library else "pool.apply_async({0})"
    body = ["futures = []"]
    for number in range(count):
        call = submit.format(f"task{number}")
        if choose.random() < 0.2:
            way = "futures[-1].add_done_callback(lambda _: seen.append(9))"
            call = call if of_library else call[:-1] + ", callback=lambda _: seen.append(9))"
            body += [f"futures.append({call})", *[way for _ in range(of_library)]]
        else:
            body += [f"futures.append({call})"]
        if number and choose.random() < 0.3:
            body += [choose.choice(_AROUND)]
    body += [choose.choice(_AROUND)]
    text = "\n".join(body)
    if of_library:
        lines += ["with ThreadPoolExecutor(2) as pool:", textwrap.indent(text, "    ")]
    else:
        text = text.replace(".result()", ".get()")
        lines = [each.replace(".result()", ".get()") for each in lines]
        lines += ["with ThreadPool(2) as pool:", textwrap.indent(text + "\npool.close()\npool.join()", "    ")]
    lines += ["print(seen, x.n, x.m)", ""]
    return "\n".join(lines)
