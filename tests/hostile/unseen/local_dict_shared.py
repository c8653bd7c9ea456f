"""The dictionary of a thread's own variables is handed to another thread."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


local = threading.local()
box = []


def a():
    local.n = 0
    box.append(local.__dict__)
    x = local.n
    local.n = x + 1
    assert local.n == 1


def b():
    if box:
        box[0]["n"] = 5


run(a, b)
