"""Executed code stores a name in the dictionary of its globals, which another thread looks at."""

import threading

space = {"n": 1}
seen = []


def first():
    exec("made = n", space)


def second():
    seen.append(space.get("made"))


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [1]
