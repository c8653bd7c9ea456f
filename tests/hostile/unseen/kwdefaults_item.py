"""F.__kwdefaults__[k] = v (item store) and a call of f."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def step(*, by=0):
    return by


def write():
    step.__kwdefaults__["by"] = 1
    step.__kwdefaults__["by"] = 2


def look():
    assert step() != 1


run(write, look)
