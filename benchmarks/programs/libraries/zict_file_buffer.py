"""Keys that no other thread touches stay readable in a cache of two levels."""

# package: zict
# include: zict
# expect: correct

import zict
from together import run


def test():
    buffer = zict.Buffer({}, {}, n=10)
    run(lambda: buffer.__setitem__("a", 1), lambda: buffer.__setitem__("b", 2))
    assert buffer["a"] == 1
    assert buffer["b"] == 2
