"""The flags of a context show the signals of its operations."""

import decimal
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


context = decimal.Context(prec=4)


def divide():
    context.divide(1, 3)
    context.clear_flags()


def look():
    assert not context.flags[decimal.Inexact]


run(divide, look)
