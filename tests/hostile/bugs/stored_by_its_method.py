"""`x.__setattr__(...)` with names and values that are known stores an attribute."""

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
    first = vars(thing).get("own")
    second = vars(thing).get("own")
    same.append(first == second)


def change():
    thing.__setattr__("own", 49)


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
