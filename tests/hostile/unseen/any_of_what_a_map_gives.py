"""`any` of the elements of a map."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


shared = []


def one():
    assert not any(map(lambda x: shared, [1]))


def two():
    shared.append(1)


run(one, two)
