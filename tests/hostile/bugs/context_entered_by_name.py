"""`methodcaller` enters a context, which another thread has changed, or not."""

import contextvars
import operator
import threading

variable = contextvars.ContextVar("variable", default=0)
context = contextvars.copy_context()
seen = []

threads = [
    threading.Thread(target=lambda: seen.append(operator.methodcaller("run", variable.get)(context))),
    threading.Thread(target=lambda: context.run(variable.set, 1)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [0]
