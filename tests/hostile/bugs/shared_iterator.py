"""An iterator of zip hands each pair out once."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


pairs = zip([1], [2])
got = []


def take():
    got.append(next(pairs))


run(take, lambda: next(pairs, None))
assert got == [(1, 2)]
