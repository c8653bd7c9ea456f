"""Numbers of descriptors go to functions that only use them, beside comparisons of other values."""

import os
import threading

sizes = []
lock = threading.Lock()


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
        file.flush()
        assert not os.isatty(file.fileno())
    with lock:
        sizes.append(len(text))


threads = [threading.Thread(target=write, args=each) for each in (("a", "x"), ("b", "yy"))]
for each in threads:
    each.start()
for each in threads:
    each.join()
first, second = sizes
assert first != second
