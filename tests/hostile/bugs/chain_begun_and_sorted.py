"""A chain is begun in a loop, and the rest of it is sorted."""

import threading
from itertools import chain

PAIR = [1]


def test():
    PAIR[:] = [1]
    seen = []

    def work():
        things = chain.from_iterable(row for row in [["x"], [PAIR], [[2]]])
        for _ in things:
            break
        seen.extend(sorted(things))

    first = threading.Thread(target=work)
    second = threading.Thread(target=lambda: PAIR.__setitem__(0, 3))
    first.start()
    second.start()
    first.join()
    second.join()
    assert seen[0] is PAIR


test()
