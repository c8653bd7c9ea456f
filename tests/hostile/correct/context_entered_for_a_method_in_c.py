"""Two threads enter one context for a function in C, which no other thread can interrupt."""

import contextvars
import threading

variable = contextvars.ContextVar("variable", default=0)
context = contextvars.copy_context()
items = []


def work(number):
    context.run(variable.set, number)
    context.run(items.append, number)
    assert context.run(variable.get) in (1, 2)


threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(items) == [1, 2]
