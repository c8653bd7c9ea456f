"""An iterator in Python of the library is gone through by code in C, in several steps, by two threads."""

import shlex
import threading

words = shlex.shlex("a b c d")
got = []


def first():
    got.append(dict.fromkeys(words))


def second():
    got.append(sorted(words, key=str))


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sum(map(len, got)) == 4
assert all(len(each) in (0, 4) for each in got)
