"""Two threads use up an iterator of the library that is written in Python."""

import shlex
import threading

words = shlex.shlex("a b c d")
taken = []


def take():
    taken.append(list(words))


def take_largest():
    taken.append([max(words, key=str, default=None)])


threads = [threading.Thread(target=each) for each in (take, take_largest)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert taken in ([["a", "b", "c", "d"], [None]], [["d"], []]), taken
