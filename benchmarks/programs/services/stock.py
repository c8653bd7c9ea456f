"""A shop: customers reserve articles in one critical section and pay in another; a clerk restocks; orders are kept.

Seeded (lost update): a customer reads the stock, and writes it back reduced after the payment, so a restocking in
between is lost. Repaired: the stock is reduced by one update under its lock.
"""

import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


class SoldOut(Exception):
    """There is none left."""


@dataclass
class Article:
    name: str
    price: int
    stock: int
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class Order:
    customer: str
    article: str
    state: str = "new"


class Till:
    """What was paid."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.receipts: list[tuple[str, int]] = []

    def pay(self, customer: str, price: int) -> None:
        with self.lock:
            self.receipts.append((customer, price))

    def total(self) -> int:
        with self.lock:
            return sum(price for _, price in self.receipts)


class Shop:
    """Articles and orders."""

    def __init__(self, articles: list[Article]) -> None:
        self.articles = {article.name: article for article in articles}
        self.till = Till()
        self.lock = threading.Lock()
        self.orders: list[Order] = []

    def buy(self, customer: str, name: str) -> Order:
        order = Order(customer, name)
        with self.lock:
            self.orders.append(order)
        article = self.articles[name]
        try:
            self.reserve(article, customer)
            order.state = "paid"
        except SoldOut:
            order.state = "sold out"
        return order

    def reserve(self, article: Article, customer: str) -> None:
        with article.lock:
            left = article.stock
            if left == 0:
                raise SoldOut(article.name)
            if REPAIRED:
                article.stock -= 1
        self.till.pay(customer, article.price)
        if not REPAIRED:
            with article.lock:
                article.stock = left - 1

    def restock(self, name: str, number: int) -> None:
        article = self.articles[name]
        with article.lock:
            article.stock += number


def customer(shop: Shop, name: str, wishes: list[str]) -> None:
    for wish in wishes:
        shop.buy(name, wish)


def clerk(shop: Shop) -> None:
    shop.restock("pen", 2)
    shop.restock("ink", 1)


def main() -> None:
    shop = Shop([Article("pen", 3, 2), Article("ink", 5, 1)])
    threads = [
        threading.Thread(target=customer, args=(shop, "ann", ["pen", "ink"])),
        threading.Thread(target=customer, args=(shop, "ben", ["pen"])),
        threading.Thread(target=clerk, args=(shop,)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    paid = [order.article for order in shop.orders if order.state == "paid"]
    assert shop.till.total() == sum(shop.articles[name].price for name in paid)
    assert shop.articles["pen"].stock == 4 - paid.count("pen"), shop.articles["pen"]
    assert shop.articles["ink"].stock == 2 - paid.count("ink"), shop.articles["ink"]


if __name__ == "__main__":
    main()
