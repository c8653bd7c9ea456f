"""__del__ of an object with __slots__ (no weakrefs): the checker keeps it alive; the program fails in EVERY."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Res:
    __slots__ = ("n",)

    def __del__(self):
        log.append(1)


class Box:
    pass


log = []
box = Box()
box.res = Res()
box.res.n = 1


def drop():
    box.res.n = 2
    box.res = None


def other():
    if box.res:
        pass


run(drop, other)
assert not log
