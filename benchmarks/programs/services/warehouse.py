"""Warehouses: pickers move goods between them, a counter takes inventory of one after the other, reports are kept.

Each warehouse has shelves and a lock. A move takes the locks of both warehouses; goods that don't fit go to the
overflow, from where a later move takes them again. Reports are made of copies, so that nobody holds a lock for long.
All movements are written down, for the books and for those who look for what is missing.

Seeded (lock order, three locks): a move takes the lock of its source first. Pickers of three warehouses who move goods
round in a circle wait for each other, though no two of them take the same two locks in opposite orders. Repaired: a
move takes the lock of the warehouse with the smaller number first.
"""

import itertools
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


class Missing(Exception):
    """There are not so many of these goods."""


class Full(Exception):
    """There is no room left."""


@dataclass(frozen=True)
class Movement:
    """So many of these goods went from one place to another."""

    number: int
    goods: str
    amount: int
    source: str
    target: str

    def line(self) -> str:
        return f"{self.number}: {self.amount} {self.goods}, {self.source} -> {self.target}"


@dataclass
class Warehouse:
    """Goods on shelves, at most ``room`` pieces."""

    number: int
    name: str
    room: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    shelves: Counter[str] = field(default_factory=Counter)

    def free(self) -> int:
        return self.room - self.shelves.total()

    def take(self, goods: str, amount: int) -> None:
        if self.shelves[goods] < amount:
            raise Missing(f"{goods} in {self.name}")
        self.shelves[goods] -= amount

    def store(self, goods: str, amount: int) -> None:
        if self.free() < amount:
            raise Full(self.name)
        self.shelves[goods] += amount


class Books:
    """Movements in the order in which they were made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.movements: list[Movement] = []
        self.numbers = itertools.count(1)

    def write(self, goods: str, amount: int, source: str, target: str) -> Movement:
        with self.lock:
            movement = Movement(next(self.numbers), goods, amount, source, target)
            self.movements.append(movement)
            return movement

    def balance(self, place: str) -> Counter[str]:
        """What came to a place, less what went."""
        balance: Counter[str] = Counter()
        with self.lock:
            for each in self.movements:
                if each.target == place:
                    balance[each.goods] += each.amount
                if each.source == place:
                    balance[each.goods] -= each.amount
        return balance


class Overflow:
    """Goods that didn't fit."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.goods: Counter[str] = Counter()

    def put(self, goods: str, amount: int) -> None:
        with self.lock:
            self.goods[goods] += amount

    def fetch(self, goods: str) -> int:
        with self.lock:
            return self.goods.pop(goods, 0)


@dataclass(frozen=True)
class Order:
    """A move that a picker has to make."""

    goods: str
    amount: int
    source: str
    target: str


class Depot:
    """The warehouses, and what may be done with them."""

    def __init__(self, warehouses: Iterable[Warehouse]) -> None:
        self.warehouses = {warehouse.name: warehouse for warehouse in warehouses}
        self.books = Books()
        self.overflow = Overflow()

    def deliver(self, name: str, goods: str, amount: int) -> None:
        warehouse = self.warehouses[name]
        with warehouse.lock:
            warehouse.store(goods, amount)
        self.books.write(goods, amount, "supplier", name)

    @contextmanager
    def both(self, source: Warehouse, target: Warehouse) -> Iterator[None]:
        first, second = source, target
        if REPAIRED and target.number < source.number:
            first, second = target, source
        with first.lock, second.lock:
            yield

    def move(self, order: Order) -> bool:
        """Whether there was room; if there was none, the goods are in the overflow."""
        source, target = self.warehouses[order.source], self.warehouses[order.target]
        with self.both(source, target):
            source.take(order.goods, order.amount)
            try:
                target.store(order.goods, order.amount)
            except Full:
                self.overflow.put(order.goods, order.amount)
                self.books.write(order.goods, order.amount, source.name, "overflow")
                return False
        self.books.write(order.goods, order.amount, source.name, target.name)
        return True

    def clear_overflow(self, goods: str, name: str) -> None:
        amount = self.overflow.fetch(goods)
        if not amount:
            return
        warehouse = self.warehouses[name]
        with warehouse.lock:
            warehouse.store(goods, amount)
        self.books.write(goods, amount, "overflow", name)

    def count(self, name: str) -> Counter[str]:
        with self.warehouses[name].lock:
            return Counter(self.warehouses[name].shelves)


class Report:
    """Counts by warehouse, as they were when they were made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: defaultdict[str, list[Counter[str]]] = defaultdict(list)

    def add(self, name: str, count: Counter[str]) -> None:
        with self.lock:
            self.counts[name].append(count)

    def pieces(self) -> dict[str, list[int]]:
        with self.lock:
            return {name: [count.total() for count in counts] for name, counts in self.counts.items()}


def picker(depot: Depot, orders: list[Order], missing: list[str]) -> None:
    for order in orders:
        try:
            depot.move(order)
        except Missing as error:
            missing.append(str(error))


def counter(depot: Depot, report: Report, names: list[str]) -> None:
    for name in names:
        report.add(name, depot.count(name))


def main() -> None:
    depot = Depot(Warehouse(number, name, room) for number, (name, room) in enumerate([("a", 4), ("b", 4), ("c", 2)]))
    for name, goods in (("a", "apples"), ("b", "beans"), ("c", "corn")):
        depot.deliver(name, goods, 2)
    report = Report()
    missing: list[list[str]] = [[], [], []]
    orders = [
        [Order("apples", 1, "a", "b")],
        [Order("beans", 2, "b", "c")],
        [Order("corn", 1, "c", "a"), Order("corn", 9, "c", "a")],
    ]
    threads = [
        *[threading.Thread(target=picker, args=each) for each in zip(itertools.repeat(depot), orders, missing)],
        threading.Thread(target=counter, args=(depot, report, ["b"]), name="counter"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    depot.clear_overflow("beans", "b")
    counted = {name: depot.count(name) for name in depot.warehouses}
    assert counted == {name: depot.books.balance(name) for name in depot.warehouses}, counted
    assert counted["a"] == Counter(apples=1, corn=1)
    assert counted["b"]["apples"] == 1
    assert counted["b"]["beans"] + counted["c"]["beans"] == 2
    assert missing == [[], [], ["corn in c"]]
    assert report.pieces()["b"][0] in range(4)


if __name__ == "__main__":
    main()
