"""__getattr__ = dict.__getitem__, __setattr__ = dict.__setitem__ (attribute dictionary)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class AttrDict(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


box = AttrDict(n=0)


def write():
    box["n"] = 1
    box["n"] = 2


def look():
    assert box.n != 1


run(write, look)
