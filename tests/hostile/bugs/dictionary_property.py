"""A class with slots has a `__dict__` of its own, a property that runs code: a look at it makes a lazy value."""

import threading


class Lazy:
    __slots__ = ("value",)

    def get(self):
        try:
            return self.value
        except AttributeError:
            made.append(1)
            self.value = 5
            return 5

    @property
    def __dict__(self):
        self.get()
        return {}


made = []
lazy = Lazy()
threads = [threading.Thread(target=lambda: lazy.get()) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert len(made) == 1
