"""Code made by `compile`, run in a dictionary: its globals are that dictionary's items."""

import threading

TEXT = """
x = 0

def get():
    return x

def set():
    global x
    x = get() + 1
"""

space = {}
exec(compile(TEXT, "<generated>", "exec"), space)


def reset():
    before = space["get"]()
    space["x"] = before + 10


threads = [threading.Thread(target=each) for each in (space["set"], reset)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert space["x"] == 11
