"""A token of `contextvars` is used up by the first thread that resets its variable."""

import contextvars
import threading

variable = contextvars.ContextVar("variable", default=0)
context = contextvars.copy_context()
token = context.run(variable.set, 1)
first = []


def reset(name):
    try:
        variable.reset(token)
    except ValueError:  # the context is another one
        first.append(name)
    except RuntimeError:  # it has been used before
        pass


threads = [threading.Thread(target=reset, args=(name,)) for name in "ab"]
for each in threads:
    each.start()
context.run(reset, "main")
for each in threads:
    each.join()
assert first != []
