"""Filter tests a list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


shared = []


def pred(x):
    return shared


def one():
    assert list(filter(pred, [1])) == []


def two():
    shared.append(1)


run(one, two)
