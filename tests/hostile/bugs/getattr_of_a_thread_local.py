"""A thread-local object gives methods of another one by `__getattr__`."""

import threading


class Proxy(threading.local):
    def __getattr__(self, name):
        return getattr(data, name)


data = []
proxy = Proxy()
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
