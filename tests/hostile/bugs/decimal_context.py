"""The precision of a shared context, changed and given back amid a division."""

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
    assert context.divide(1, 3) == decimal.Decimal("0.3333")


def coarsely():
    context.prec = 1
    context.divide(1, 3)
    context.prec = 4


run(divide, coarsely)
