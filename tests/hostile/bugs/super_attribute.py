"""Super().n reads a class attribute."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Base:
    n = 0


class Sub(Base):
    def look(self):
        return super().n


sub = Sub()


def write():
    Base.n = 1
    Base.n = 2


def look():
    assert sub.look() != 1


run(write, look)
