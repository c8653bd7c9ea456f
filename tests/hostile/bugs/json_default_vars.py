"""json.dumps() reads the attributes of an instance by way of vars()."""

import json
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


def write():
    box.n = 1
    box.n = 0


def look():
    assert json.dumps(box, default=vars) == '{"n": 0}'


run(write, look)
