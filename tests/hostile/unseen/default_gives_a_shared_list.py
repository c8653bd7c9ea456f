"""Default gives a shared list."""

import json
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


shared = [1]


class A:
    pass


def one():
    assert json.dumps(A(), default=lambda o: shared) == "[1]"


def two():
    shared.append(2)


run(one, two)
