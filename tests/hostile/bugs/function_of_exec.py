"""A function that `exec` has made counts as code of the program."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


space = {"n": 0}
exec("def add():\n    global n\n    n += 1", space)
run(space["add"], space["add"])
assert space["n"] == 2
