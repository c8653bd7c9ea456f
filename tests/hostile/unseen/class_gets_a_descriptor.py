"""A class gets a property in the place of a value: the next store of the attribute in an instance fails."""

import threading


class Box:
    size = 1


def fill():
    box = Box()
    box.size = 2
    box.size = 3


def close():
    Box.size = property(lambda self: 4)


failed = []
threads = [threading.Thread(target=each) for each in (fill, close)]
threading.excepthook = failed.append
for each in threads:
    each.start()
for each in threads:
    each.join()
assert failed == []
