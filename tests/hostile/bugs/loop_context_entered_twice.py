"""Two threads enter one context."""

import contextvars
import threading

context = contextvars.copy_context()
failed = []
number = contextvars.ContextVar("number", default=0)


def add():
    number.set(number.get() + 1)


def enter():
    try:
        context.run(add)
    except RuntimeError as error:
        failed.append(error)


threads = [threading.Thread(target=enter) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not failed, failed
