"""Two threads go through an iterator that is written in Python, behind a `map` of each."""

import shlex
import threading

words = shlex.shlex("a b c d")
taken = []


def take():
    taken.append(list(map(str, words)))


threads = [threading.Thread(target=take) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sum(map(len, taken)) == 4, taken
