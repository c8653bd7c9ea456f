"""Method hidden native class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Items(list):
    pass


box = Items()


def one():
    box.append(1)
    assert len(box) == 1


def two():
    box.__dict__["append"] = lambda x: None


run(one, two)
