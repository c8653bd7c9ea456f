"""Exception context."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


err = ValueError("x")


def a():
    try:
        {}["a"]
    except KeyError:
        try:
            raise err
        except ValueError:
            pass


def b():
    try:
        [][0]
    except IndexError:
        try:
            raise err
        except ValueError:
            pass


run(a, b)
assert isinstance(err.__context__, IndexError)
