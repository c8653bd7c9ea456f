"""Error of a function raised."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


err = ValueError("x")


def get():
    return err


def one():
    try:
        raise get()
    except ValueError as e:
        n = 0
        tb = e.__traceback__
        while tb:
            n += 1
            tb = tb.tb_next
        assert n == 1


run(one, one)
