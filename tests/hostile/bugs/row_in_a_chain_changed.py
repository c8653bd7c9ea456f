"""A row grows while `chain.from_iterable` goes over it, between two calls of a function."""

import threading
from itertools import chain

ROW = ["a", "b"]


def text(each):
    return each


def test():
    ROW[:] = ["a", "b"]
    seen = []
    first = threading.Thread(target=lambda: seen.append("".join(chain.from_iterable(map(text, row) for row in [ROW]))))
    second = threading.Thread(target=lambda: (ROW.append("c"), ROW.pop(0)))
    first.start()
    second.start()
    first.join()
    second.join()
    assert seen[0] in ("ab", "abc", "bc")  # b between the calls: "ac"


test()
