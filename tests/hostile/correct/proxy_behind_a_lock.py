"""A proxy, whose special methods a descriptor gives, is used under a lock."""

import operator
import threading
from functools import partial


class Lookup:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return partial(self.function, instance.thing())


class Proxy:
    __slots__ = ("thing",)

    def __init__(self, thing):
        object.__setattr__(self, "thing", thing)

    __getitem__ = Lookup(operator.getitem)
    __setitem__ = Lookup(operator.setitem)
    __repr__ = Lookup(repr)
    __getattr__ = Lookup(getattr)
    __setattr__ = Lookup(setattr)
    __iter__ = Lookup(iter)


data = {"n": 0}
proxy = Proxy(lambda: data)
lock = threading.Lock()
seen = []


def work():
    with lock:
        proxy["n"] = proxy["n"] + 1
        proxy.update(m=1)
        seen.append(repr(proxy))


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert data["n"] == 2
assert seen[-1] == "{'n': 2, 'm': 1}"
