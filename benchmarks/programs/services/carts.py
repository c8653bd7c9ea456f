"""Shopping carts in a write-behind cache: shops change carts in memory, a saver writes the changed ones to a table.

Seeded (lost write): the saver unmarks a cart as changed after it wrote it: a change made while it wrote is unmarked,
too, and never written. Repaired: it unmarks it when it reads it, under the same lock.
"""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv

Lines = tuple[tuple[str, int], ...]


@dataclass
class Table:
    """What is kept for good: the lines of a cart by its owner."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    rows: dict[str, Lines] = field(default_factory=dict)
    writes: int = 0

    def save(self, owner: str, lines: Lines) -> None:
        with self.lock:
            self.rows[owner] = lines
            self.writes += 1


@dataclass
class Cart:
    """Numbers of articles; frozen into lines for the table."""

    owner: str
    articles: dict[str, int] = field(default_factory=dict)

    def add(self, article: str, number: int) -> None:
        self.articles[article] = self.articles.get(article, 0) + number

    def remove(self, article: str) -> None:
        self.articles.pop(article, None)

    def lines(self) -> Lines:
        return tuple(sorted(self.articles.items()))


class Carts:
    """All carts, and the owners of those that the table doesn't have yet as they are."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.lock = threading.Lock()
        self.carts: dict[str, Cart] = {}
        self.changed: set[str] = set()

    def change(self, owner: str, how: Callable[[Cart], None]) -> None:
        with self.lock:
            cart = self.carts.setdefault(owner, Cart(owner))
            how(cart)
            self.changed.add(owner)

    def lines(self, owner: str) -> Lines:
        with self.lock:
            cart = self.carts.get(owner)
            return () if cart is None else cart.lines()

    def save(self) -> int:
        """Write all changed carts; how many."""
        with self.lock:
            owners = sorted(self.changed)
        for owner in owners:
            self.save_one(owner)
        return len(owners)

    def save_one(self, owner: str) -> None:
        with self.lock:
            lines = self.carts[owner].lines()
            if REPAIRED:
                self.changed.discard(owner)
        self.table.save(owner, lines)
        if not REPAIRED:
            with self.lock:
                self.changed.discard(owner)


def shop(carts: Carts, owner: str, wishes: list[str]) -> None:
    """Put articles into a cart; a wish with a minus takes one out."""
    for wish in wishes:
        article = wish.removeprefix("-")
        if article != wish:
            carts.change(owner, lambda cart, article=article: cart.remove(article))
        else:
            carts.change(owner, lambda cart, article=article: cart.add(article, 1))


def saver(carts: Carts, rounds: int) -> None:
    for _ in range(rounds):
        carts.save()


def main() -> None:
    table = Table()
    carts = Carts(table)
    threads = [
        threading.Thread(target=shop, args=(carts, "ann", ["pen", "ink", "-pen"])),
        threading.Thread(target=shop, args=(carts, "ben", ["pen"])),
        threading.Thread(target=saver, args=(carts, 1), name="saver"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    carts.save()
    assert not carts.changed
    assert table.rows == {"ann": (("ink", 1),), "ben": (("pen", 1),)}, table.rows
    assert carts.lines("ann") == table.rows["ann"]


if __name__ == "__main__":
    main()
