"""Int max digits."""

import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


big = 10**1000


def limit():
    sys.set_int_max_str_digits(700)
    sys.set_int_max_str_digits(0)


def use():
    assert len(str(big)) == 1001


run(limit, use)
