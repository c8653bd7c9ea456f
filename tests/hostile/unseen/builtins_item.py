"""Vars(builtins)["flag"] against a read of the builtin."""

import builtins
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


vars(builtins)["flag"] = 0


def write():
    vars(builtins)["flag"] = 1
    vars(builtins)["flag"] = 2


def look():
    assert flag != 1


run(write, look)
