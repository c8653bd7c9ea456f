"""One text is run in two dictionaries: each has globals of its own."""

import threading

code = compile("def bump():\n    global n\n    n += 1\n", "<generated>", "exec")
spaces = [{"n": 0}, {"n": 0}]
for space in spaces:
    exec(code, space)

threads = [threading.Thread(target=space["bump"]) for space in spaces]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert [space["n"] for space in spaces] == [1, 1]
