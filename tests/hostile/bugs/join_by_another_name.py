"""A generator that two threads join, by a name of their own for it: each gets a part, or an error."""

import threading

glue = "".join
letters = (each for each in "ab")
got = []


def take():
    got.append(glue(letters))


threads = [threading.Thread(target=take) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(got) == ["", "ab"]
