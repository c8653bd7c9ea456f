"""Exception traceback."""

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
        raise err
    except ValueError:
        n, tb = 0, err.__traceback__
        while tb:
            n, tb = n + 1, tb.tb_next
        assert n == 1


def b():
    try:
        raise err
    except ValueError:
        pass


run(a, b)
