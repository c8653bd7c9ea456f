"""A function made by exec() stores in a dictionary that another thread reads."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


space = {"__name__": "elsewhere", "n": 0}
exec("def bump():\n    global n\n    n = 1\n    n = 2\n", space)


def look():
    assert space["n"] != 1


run(space["bump"], look)
