"""A thread gives away the dictionary of its thread-local data, which another one changes at the same time."""

import threading

local = threading.local()
given, ready = [], threading.Event()


def give():
    local.n = 0
    given.append(local.__dict__)
    ready.set()
    local.n += 1
    taken.wait()
    assert local.n == 2


def take():
    ready.wait()
    given[0]["n"] += 1
    taken.set()


taken = threading.Event()
threads = [threading.Thread(target=each) for each in (give, take)]
for each in threads:
    each.start()
for each in threads:
    each.join()
