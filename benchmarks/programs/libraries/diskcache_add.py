"""Of two threads that add one key, one does."""

# package: diskcache
# include: diskcache
# expect: correct

import tempfile

from diskcache import Cache
from together import run


def test():
    with tempfile.TemporaryDirectory() as folder, Cache(folder) as cache:
        added = []
        run(lambda: added.append(cache.add("k", 1)), lambda: added.append(cache.add("k", 2)))
        assert sorted(added) == [False, True]
