"""Error number set."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


err = OSError(2, "x")


def one():
    assert str(err) == "[Errno 2] x"


def two():
    err.errno = 3


run(one, two)
