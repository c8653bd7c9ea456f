"""A class loses a descriptor that would have kept a value that a thread stores."""

import threading


class Kept:
    def __set__(self, thing, value):
        kept.append(value)


class Thing:
    a = Kept()


kept = []
thing = Thing()


def first():
    del Thing.a


def second():
    setattr(thing, "a", 4)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert kept == []
