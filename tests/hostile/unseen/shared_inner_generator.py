"""Two generators go through the same one."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


box = Box()


def gen():
    for i in range(4):
        box.n += 1
        yield i


inner = gen()


def outer():
    yield from inner


def work():
    for _ in outer():
        pass


run(work, work)
