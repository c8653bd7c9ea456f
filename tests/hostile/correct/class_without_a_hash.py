"""A metaclass whose classes have no hash: code that looks at their objects must not call it."""

import threading


class Meta(type):
    def __eq__(cls, other):
        raise RuntimeError("compared")

    __hash__ = None


class Box(metaclass=Meta):
    size = 1

    def grow(self):
        with lock:
            self.size += 1


lock = threading.Lock()
box = Box()
threads = [threading.Thread(target=box.grow) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert box.size == 3
