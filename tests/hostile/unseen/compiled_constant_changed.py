"""Compiled code takes a global for a constant that a thread changes in its namespace."""

import threading

space = {"limit": 1, "__file__": ""}


def make():
    code = compile("def look():\n    return limit\n", "made", "exec")
    space["__file__"] = code.co_filename
    exec(code, space)


make()
got = []


def change():
    space["limit"] = 2


threads = [threading.Thread(target=each) for each in (lambda: got.append(space["look"]()), change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got == [1]
