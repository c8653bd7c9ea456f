"""Decimal default context."""

import decimal
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


seen = []


def a():
    seen.append(decimal.Decimal(1) / decimal.Decimal(3))


def b():
    decimal.DefaultContext.prec = 2


run(a, b)
assert len(str(seen[0])) > 10
