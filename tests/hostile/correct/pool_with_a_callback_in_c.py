"""A method that a function of the library wraps: the object's callback in C is called by the method only, in a lock."""

import contextlib
import threading

made = []


class Pool:
    def __init__(self, note):
        self.lock = threading.Lock()
        self.note = note

    @contextlib.contextmanager
    def hold(self):
        with self.lock:
            self.note(1)
            yield len(made)


pool = Pool(made.append)


def use():
    with pool.hold() as count:
        assert count == len(made)


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(made) == 2
