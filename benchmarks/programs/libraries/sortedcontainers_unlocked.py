"""A sorted dictionary without a lock: both see no entry, and one is lost from the count."""

# package: sortedcontainers
# include: sortedcontainers
# expect: bug
# shows: _len

from sortedcontainers import SortedList
from together import run


def test():
    numbers = SortedList([5])
    run(lambda: numbers.add(9), lambda: numbers.add(1))
    assert len(numbers) == 3, len(numbers)
