"""`next` of an `itertools.count` is one step."""

import itertools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = itertools.count()
got = []
run(lambda: got.append(next(numbers)), lambda: got.append(next(numbers)))
assert sorted(got) == [0, 1]
