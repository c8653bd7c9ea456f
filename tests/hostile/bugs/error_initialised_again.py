"""Error initialised again."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


err = ValueError("x")


def one():
    assert str(err) == "x"


def two():
    err.__init__("y")


run(one, two)
