"""The value of a member of an enumeration is replaced."""

import enum
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Color(enum.Enum):
    RED = [0]


def write():
    Color.RED._value_ = 1
    Color.RED._value_ = 0


def look():
    assert Color.RED.value != 1


run(write, look)
