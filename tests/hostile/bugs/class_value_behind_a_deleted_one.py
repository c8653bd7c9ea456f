"""A thread finds the class's value of an attribute that another one deletes, before a third one changes it."""

import threading


class Box:
    size = 1


box = Box()
box.size = 0
seen = []


def read():
    seen.append(box.size)


def delete():
    del box.size


def change():
    Box.size = 2


threads = [threading.Thread(target=each) for each in (read, delete, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [1], seen
