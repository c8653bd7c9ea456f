"""Method hidden dict replaced."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    def get(self):
        return 1


box = Box()


def one():
    assert box.get() == 1


def two():
    box.__dict__ = {"get": lambda: 2}


run(one, two)
