"""A slot is stored by its __set__, which was kept."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    __slots__ = ("n",)


box = Box()
box.n = 0
put = Box.n.__set__


def write():
    put(box, 1)
    put(box, 2)


def look():
    assert box.n != 1


run(write, look)
