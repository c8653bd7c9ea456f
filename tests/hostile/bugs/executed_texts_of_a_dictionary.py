"""Texts that are evaluated and executed in a dictionary that threads share."""

import threading

space = {"x": 0}


def add():
    exec("x = " + repr(eval("x + 1", space)), space)


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert space["x"] == 2
