"""A row of lists, whose lengths a function in C asks for while a chain goes over them."""

import threading
from itertools import chain

ROWS = [[1], [2]]


def test():
    ROWS[:] = [[1], [2]]
    seen = []

    def work():
        for each in chain.from_iterable(map(len, row) for row in [ROWS]):
            seen.append(each)

    first = threading.Thread(target=work)
    second = threading.Thread(target=lambda: (ROWS[0].append(1), ROWS[1].append(2)))
    first.start()
    second.start()
    first.join()
    second.join()
    assert seen in ([1, 1], [2, 1], [2, 2])


test()
