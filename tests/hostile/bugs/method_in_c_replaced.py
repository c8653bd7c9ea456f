"""An attribute that holds a method in C gets another one between its look-up and its call."""

import threading


class Box:
    pass


old, new = [1], [1, 2, 3]
box = Box()
box.size = old.__len__
seen = []


def measure():
    seen.append(box.size())


def replace():
    box.size = new.__len__
    old.append(5)


threads = [threading.Thread(target=each) for each in (measure, replace)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [2], seen
