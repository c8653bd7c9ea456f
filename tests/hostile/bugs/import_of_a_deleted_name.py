"""A name is imported from a module that another thread deletes it from: an import that fails reads nothing."""

import sys
import threading
import types

made = types.ModuleType("made_here")
made.n = 1
sys.modules["made_here"] = made
seen = []


def first():
    del made.n


def second():
    try:
        from made_here import n

        seen.append(n)
    except ImportError:
        pass


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == []
