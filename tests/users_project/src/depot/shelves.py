import threading
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock


class NotThere(LookupError):
    pass


@dataclass
class Shelf:
    """Goods by name. Its lock is made by a function that was taken from `threading` when this was imported."""

    name: str
    goods: dict[str, int] = field(default_factory=dict)
    lock: Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def put(self, name, number=1):
        if number < 1:
            raise ValueError(f"{number} of {name}")
        with self.lock:
            self.goods[name] = self.goods.get(name, 0) + number

    def take(self, name):
        with self.lock:
            if not self.goods.get(name):
                raise NotThere(name)
            self.goods[name] -= 1
        return name

    def __len__(self):
        with self.lock:
            return sum(self.goods.values())


class Visits:
    """Counts visitors; `count` may lose some, `count_safely` does not. All visits share one lock."""

    _lock = Lock()

    def __init__(self):
        self.total = 0

    def count(self):
        total = self.total
        self.total = total + 1

    def count_safely(self):
        with self._lock:
            self.total += 1


class Registry:
    """One shelf for each name; two threads that ask at the same time may get two shelves."""

    def __init__(self):
        self.shelves = {}
        self.made = Counter()
        self._lock = threading.RLock()

    def shelf(self, name):
        if name not in self.shelves:
            self._make(name)
        return self.shelves[name]

    def shelf_safely(self, name):
        with self._lock:
            if name not in self.shelves:
                self._make(name)
            return self.shelves[name]

    def _make(self, name):
        with self._lock:
            self.made[name] += 1
            self.shelves[name] = Shelf(name)
