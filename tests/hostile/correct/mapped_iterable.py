"""A function in C is mapped over the result of an `__iter__` of the program."""

import threading


class Thing:
    def __init__(self):
        self.table = {"a": 1}

    def __iter__(self):
        return iter(self.table)


thing, out = Thing(), []


def work():
    out.append(tuple(map(str, thing)))


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert out == [("a",), ("a",)]
