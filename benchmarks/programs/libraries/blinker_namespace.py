"""A namespace gives two threads one signal of a name, a user expects."""

# package: blinker
# include: blinker
# expect: bug
# shows: name not in self

from blinker import Namespace
from together import run


def test():
    names, got = Namespace(), []
    run(lambda: got.append(names.signal("done")), lambda: got.append(names.signal("done")))
    assert got[0] is got[1]
