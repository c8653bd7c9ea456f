"""The text of a token says whether it has been used."""

import contextvars
import threading

variable = contextvars.ContextVar("variable", default=0)
token = variable.set(1)
seen = []

thread = threading.Thread(target=lambda: seen.append(repr(token).startswith("<Token used")))
thread.start()
variable.reset(token)
thread.join()
assert seen == [False]
