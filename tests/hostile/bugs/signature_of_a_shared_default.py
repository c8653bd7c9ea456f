"""The text of a signature shows a default that another thread changes."""

import inspect
import threading


def function(first, second=[]):  # noqa: B006
    return first, second


seen = []
threads = [
    threading.Thread(target=lambda: seen.append(str(inspect.signature(function)))),
    threading.Thread(target=lambda: function.__defaults__[0].append(1)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == ["(first, second=[])"]
