"""Property iter."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


class Bag:
    @property
    def __iter__(self):
        return items.__iter__


def one():
    assert len([*Bag()]) == 1


def two():
    items.append(2)


bag = Bag()


def three():
    n = 0
    for each in bag:
        n += 1
    assert n == 1


run(three, two)
