"""A generator yields an iterator that two threads advance."""

import threading
from itertools import chain


def test():
    shared = iter([1, 2])
    seen = []

    def work():
        for each in chain.from_iterable(part for part in [shared]):
            seen.append([each])
        seen.append([])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [[1], [2], [], []]


test()
