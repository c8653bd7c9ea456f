"""The globals of a module are cleared by way of their dictionary."""

import threading
import types

made = types.ModuleType("made")
made.n = 1
seen = []


def first():
    seen.append(getattr(made, "n", 0))


def second():
    vars(made).clear()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [1]
