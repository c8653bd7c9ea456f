"""An object with slots gives methods of another one by `__getattr__`."""

import threading


class Proxy:
    __slots__ = ("thing",)

    def __init__(self, thing):
        self.thing = thing

    def __getattr__(self, name):
        return getattr(self.thing, name)


data = []
proxy = Proxy(data)
seen = []


def change():
    proxy.append(1)
    proxy.append(2)


threads = [threading.Thread(target=each) for each in (change, lambda: seen.append(proxy.copy()))]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [[1]]
