"""`methodcaller` looks the method up when it is called."""

import operator
import threading


class Base:
    def size(self):
        return 1


class Child(Base):
    def above(self):
        return super().size()


thing = Base()
same = []


def look():
    first = operator.methodcaller("size")(thing)
    second = operator.methodcaller("size")(thing)
    same.append(first == second)


def change():
    thing.size = lambda: 2


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
