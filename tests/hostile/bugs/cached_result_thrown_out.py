"""A full cache throws a result out."""

import functools
import threading

calls = []


@functools.lru_cache(maxsize=2)
def f(x):
    calls.append(x)
    return x


def a():
    f(1)
    f(1)


def b():
    f(2)
    f(3)


ts = [threading.Thread(target=a), threading.Thread(target=b)]
[t.start() for t in ts]
[t.join() for t in ts]
assert calls.count(1) == 1
