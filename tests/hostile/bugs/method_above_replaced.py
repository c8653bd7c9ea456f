"""`super().method()` looks the method up in the classes above."""

import threading


class Base:
    def size(self):
        return 1


class Child(Base):
    def above(self):
        return super().size()


thing = Child()
same = []


def look():
    first = thing.above()
    second = thing.above()
    same.append(first == second)


def change():
    Base.size = lambda self: 2


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
