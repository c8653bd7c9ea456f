"""A function made by exec() is named like one that the library makes."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


space = {"n": 0}
exec(compile("def _replace():\n    global n\n    n = 1\n    len('a')\n    n = 2\n", "<string>", "exec"), space)
change = space["_replace"]


def write():
    change()


def look():
    assert space["n"] != 1


run(write, look)
