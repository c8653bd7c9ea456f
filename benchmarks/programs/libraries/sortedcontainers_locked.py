"""A sorted list under a lock."""

# package: sortedcontainers
# include: sortedcontainers
# expect: correct

import threading

from sortedcontainers import SortedList
from together import run


def test():
    numbers = SortedList([5])
    lock = threading.Lock()

    def add(number):
        with lock:
            numbers.add(number)

    run(lambda: add(9), lambda: add(1))
    assert list(numbers) == [1, 5, 9]
