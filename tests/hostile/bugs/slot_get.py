"""A slot is read by its __get__, which was kept."""

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
get = Box.n.__get__


def write():
    box.n = 1
    box.n = 2


def look():
    assert get(box) != 1


run(write, look)
