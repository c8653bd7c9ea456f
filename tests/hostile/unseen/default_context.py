"""Decimal.DefaultContext.prec against the first getcontext() of a thread."""

import decimal
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


prec = decimal.DefaultContext.prec


def write():
    decimal.DefaultContext.prec = 5
    decimal.DefaultContext.prec = prec


def look():
    assert decimal.getcontext().prec == prec


run(write, look)
