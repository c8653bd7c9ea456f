"""A thread stores a value in the namespace of compiled code, where another one finds it, or not."""

import threading

space = {"__file__": ""}


def make():
    code = compile("def look():\n    return 1\n", "made", "exec")
    space["__file__"] = code.co_filename
    exec(code, space)


make()
got = []


def store():
    space["seen"] = 2


threads = [threading.Thread(target=each) for each in (lambda: got.append(space.get("seen")), store)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got == [None]
