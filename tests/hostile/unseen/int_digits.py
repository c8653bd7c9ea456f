"""Sys.set_int_max_str_digits against str(huge)."""

import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


huge = 10**2000


def write():
    sys.set_int_max_str_digits(1000)
    sys.set_int_max_str_digits(4300)


def look():
    str(huge)


run(write, look)
