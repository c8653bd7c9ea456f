"""pickle.dumps() reads the attributes of an instance."""

import pickle
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


box = Box()
box.n = 0
empty = len(pickle.dumps(box))


def write():
    box.n = "much longer than a number"
    box.n = 0


def look():
    assert len(pickle.dumps(box)) == empty


run(write, look)
