"""Two threads run in contexts of their own."""

import contextvars
import threading

number = contextvars.ContextVar("number", default=0)
seen = []


def add():
    number.set(number.get() + 1)
    seen.append(number.get())


contexts = [contextvars.copy_context() for _ in range(2)]
threads = [threading.Thread(target=each.run, args=(add,)) for each in contexts]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [1, 1]
