"""An iterator over a view of a dictionary remembers how many items there were."""

import threading
import types

under = {"a": 1}
view = types.MappingProxyType(under)
seen = []


def first():
    try:
        seen.append(next(iter(view), None))
    except RuntimeError:
        seen.append("a")


def second():
    under.clear()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == ["a"]
