"""Two threads use a proxy in Python: its object is made once."""

# package: lazy-object-proxy
# include: lazy_object_proxy
# expect: bug
# shows: made.append(1)

from lazy_object_proxy.slots import Proxy
from together import run


def test():
    made = []

    def make():
        made.append(1)
        return "value"

    proxy = Proxy(make)
    seen = []
    run(lambda: seen.append(len(proxy)), lambda: seen.append(len(proxy)))
    assert seen == [5, 5]
    assert len(made) == 1, made
