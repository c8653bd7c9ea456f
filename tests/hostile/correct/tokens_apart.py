"""Each thread resets its own token, and calculates with its own context."""

import contextvars
import decimal
import operator
import threading

variable = contextvars.ContextVar("variable", default=0)
lock = threading.Lock()
used = []


def work(number):
    token = variable.set(number)
    context = decimal.Context(prec=number)
    root = decimal.Decimal(2).sqrt(context)
    with lock:
        used.append(operator.methodcaller("quantize", decimal.Decimal("0.1"), context=context)(root))
    assert context.flags[decimal.Inexact]
    assert variable.get() == number
    variable.reset(token)
    assert variable.get() == 0


threads = [threading.Thread(target=work, args=(number,)) for number in (3, 4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert used == [decimal.Decimal("1.4")] * 2
