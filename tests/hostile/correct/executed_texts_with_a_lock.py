"""Texts that are executed in a dictionary that threads share, one at a time."""

import threading

space = {"x": 0}
lock = threading.Lock()


def add():
    with lock:
        exec("x = x + 1", space)
        assert eval(" x > 0", space)


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert space["x"] == 2
