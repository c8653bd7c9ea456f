"""A namespace of compiled code is that of another text, too, which reads a value that a thread stores there."""

import threading

space = {"__file__": ""}


def make():
    code = compile("def look():\n    return 1\n", "made", "exec")
    space["__file__"] = code.co_filename
    exec(code, space)


make()
exec("def other():\n    return limit\n", space)
got = []
space["limit"] = 1


def change():
    space["limit"] = 2


threads = [threading.Thread(target=each) for each in (lambda: got.append(space["other"]()), change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got == [1]
