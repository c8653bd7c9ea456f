"""A payment service: a pool of workers takes transfers from a queue, an auditor sums up meanwhile.

Seeded (lock order): a transfer takes the locks of its two accounts in the order of its arguments, so two transfers in
opposite directions block each other. Repaired: always in the order of the accounts' names.
"""

import queue
import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv
WORKERS = 2


class Refused(Exception):
    """A transfer that the account can't pay for."""


@dataclass
class Account:
    name: str
    balance: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    history: list[tuple[str, int]] = field(default_factory=list)

    def change(self, reason: str, amount: int) -> None:
        if self.balance + amount < 0:
            raise Refused(self.name)
        self.balance += amount
        self.history.append((reason, amount))


@dataclass
class Transfer:
    source: str
    target: str
    amount: int
    outcome: str = "open"


class Bank:
    """The accounts, and what may be done with them."""

    def __init__(self, balances: dict[str, int]) -> None:
        self.accounts = {name: Account(name, balance) for name, balance in balances.items()}

    def transfer(self, order: Transfer) -> None:
        source, target = self.accounts[order.source], self.accounts[order.target]
        first, second = (source, target)
        if REPAIRED and target.name < source.name:
            first, second = target, source
        with first.lock:
            with second.lock:
                source.change(f"to {target.name}", -order.amount)
                target.change(f"from {source.name}", order.amount)

    def total(self) -> int:
        return sum(account.balance for account in self.accounts.values())


class Statistics:
    """Counts outcomes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts = {"done": 0, "refused": 0}

    def count(self, outcome: str) -> None:
        with self.lock:
            self.counts[outcome] += 1


class Service:
    """Workers that execute transfers from a queue, until they are told to stop."""

    def __init__(self, bank: Bank, workers: int) -> None:
        self.bank = bank
        self.orders: queue.Queue[Transfer | None] = queue.Queue()
        self.statistics = Statistics()
        self.workers = [threading.Thread(target=self.work, name=f"worker {number}") for number in range(workers)]

    def start(self) -> None:
        for worker in self.workers:
            worker.start()

    def submit(self, order: Transfer) -> Transfer:
        self.orders.put(order)
        return order

    def work(self) -> None:
        while (order := self.orders.get()) is not None:
            try:
                self.bank.transfer(order)
                order.outcome = "done"
            except Refused:
                order.outcome = "refused"
            self.statistics.count(order.outcome)

    def stop(self) -> None:
        for _ in self.workers:
            self.orders.put(None)
        for worker in self.workers:
            worker.join()


def main() -> None:
    bank = Bank({"alice": 10, "bob": 10})
    service = Service(bank, WORKERS)
    service.start()
    orders = [
        service.submit(Transfer("alice", "bob", 3)),
        service.submit(Transfer("bob", "alice", 4)),
        service.submit(Transfer("alice", "bob", 90)),
    ]
    service.stop()
    assert [order.outcome for order in orders] == ["done", "done", "refused"], orders
    assert bank.total() == 20
    assert service.statistics.counts == {"done": 2, "refused": 1}


if __name__ == "__main__":
    main()
