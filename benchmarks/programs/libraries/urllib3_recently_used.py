"""A container of pools closes those that it drops."""

# package: urllib3
# include: urllib3
# expect: correct

from together import run
from urllib3._collections import RecentlyUsedContainer


def test():
    dropped = []
    container = RecentlyUsedContainer(1, dispose_func=dropped.append)

    def put(key):
        container[key] = key

    run(lambda: put("a"), lambda: put("b"))
    assert len(container) == 1
    assert sorted([*dropped, *container.keys()]) == ["a", "b"]
