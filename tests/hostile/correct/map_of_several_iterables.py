"""A method in C that `map` calls gets its arguments in order."""

import operator
import threading

things = {}


def fill():
    assert list(map(things.__setitem__, ["a", "b"], [1, 2])) == [None, None]
    assert list(map(operator.sub, [9, 8], (5, 6))) == [4, 2]


def look():
    assert list(map(pow, [2, 3], [3, 2])) == [8, 9]


threads = [threading.Thread(target=each) for each in (fill, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert things == {"a": 1, "b": 2}
