"""`functools.update_wrapper` renames a function that another thread looks at."""

import functools
import threading


def function():
    return 1


seen = []
threads = [
    threading.Thread(target=lambda: seen.append(function.__name__)),
    threading.Thread(target=lambda: functools.update_wrapper(function, len)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == ["function"]
