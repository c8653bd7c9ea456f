"""Binary operator gives a shared list; `for x in source | 1`."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


class Source:
    def __or__(self, other):
        return items


source = Source()


def fill():
    items.append(1)
    items.append(2)


def look():
    found = [each for each in source | 1]
    assert len(found) != 1


run(fill, look)
