"""A text is executed in a dictionary that another thread uses as one."""

import threading

space = {"n": 1}


def change():
    space["n"] = 5


def run():
    exec("n += 1", space)


threads = [threading.Thread(target=each) for each in (change, run)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert space["n"] in (5, 6), space["n"]
