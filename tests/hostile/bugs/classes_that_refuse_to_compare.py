"""An update is lost of an object in a list whose class can't be compared with others."""

import threading


class Meta(type):
    def __eq__(self, other):
        raise SystemError("compared")

    __hash__ = type.__hash__


class Box(metaclass=Meta):
    def __init__(self):
        self.count = 0


boxes = [Box()]


def bump():
    boxes[0].count += 1


threads = [threading.Thread(target=bump) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert boxes[0].count == 2
