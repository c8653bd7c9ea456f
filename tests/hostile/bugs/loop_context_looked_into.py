"""A thread looks into a context in which another one runs."""

import contextvars
import threading

number = contextvars.ContextVar("number")
number.set(1)
context = contextvars.copy_context()
seen = []


def change():
    number.set(2)
    number.set(3)


thread = threading.Thread(target=context.run, args=(change,))
thread.start()
seen.append(context.get(number))
thread.join()
assert seen != [2], seen
