"""Two threads take from a set: no element is taken twice."""

# package: zict
# include: zict
# expect: correct

from together import run
from zict.utils import InsertionSortedSet


def test():
    queue = InsertionSortedSet("abc")
    taken = []
    run(lambda: taken.append(queue.popleft()), lambda: taken.append(queue.popleft()))
    assert sorted(taken) == ["a", "b"]
    assert list(queue) == ["c"]
