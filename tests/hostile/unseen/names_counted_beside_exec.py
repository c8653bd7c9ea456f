"""Code compiled by the program stores a name in a dictionary that another thread counts."""

import threading

space = {"n": 1, "__builtins__": {}}
code = compile("made = n", "code", "exec")
seen = []


def first():
    seen.append(len(space))


def second():
    exec(code, space)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [2]
