"""A data descriptor in Python is looked up in its class, which another thread takes it from."""

import threading


class Held:
    def __get__(self, thing, owner=None):
        return 0

    def __set__(self, thing, value):
        pass


class Box:
    size = Held()


box = Box()
seen = []


def look():
    for _ in range(2):
        try:
            seen.append(box.size)
        except AttributeError:
            seen.append(None)


def take():
    del Box.size


threads = [threading.Thread(target=each) for each in (look, take)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [0, None]
