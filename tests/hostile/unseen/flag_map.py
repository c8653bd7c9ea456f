"""A combination of flags is made, which the enumeration keeps."""

import enum
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Color(enum.Flag):
    A = 1
    B = 2


def write():
    Color(3)


def look():
    a = len(Color._value2member_map_)
    b = len(Color._value2member_map_)
    assert a == b


run(write, look)
