"""Optimistic updates of accounts: cashiers read one, work out what it should be, and store it if it is unchanged.

What is stored is a new state of the account, with its last bookings. If the account has changed since it was read, the
cashier begins again. Fees are booked at the end of the day by a clerk, and an archive gets the bookings that a state
has no room for.

Seeded (comparison of a value that came back): whether an account has changed is decided by its balance, which may be
the same again after two bookings: these are overwritten. Repaired: by its version.
"""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

REPAIRED = "repaired" in sys.argv


class Overdrawn(Exception):
    """The account can't pay."""


@dataclass(frozen=True)
class Booking:
    text: str
    amount: int


@dataclass(frozen=True)
class State:
    """An account at one moment. Never changed, but replaced."""

    balance: int = 0
    version: int = 0
    bookings: tuple[Booking, ...] = ()

    def book(self, booking: Booking) -> "State":
        if self.balance + booking.amount < 0:
            raise Overdrawn(booking.text)
        return replace(
            self,
            balance=self.balance + booking.amount,
            version=self.version + 1,
            bookings=(*self.bookings, booking),
        )


class Account:
    """The present state, and how to replace it."""

    def __init__(self, name: str, state: State) -> None:
        self.name = name
        self.lock = threading.Lock()
        self.state = state

    def read(self) -> State:
        with self.lock:
            return self.state

    def replace(self, old: State, new: State) -> bool:
        """Whether the account was as it was read."""
        with self.lock:
            is_same = self.state.version == old.version if REPAIRED else self.state.balance == old.balance
            if is_same:
                self.state = new
            return is_same


@dataclass
class Archive:
    """Old bookings by account."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    bookings: dict[str, list[Booking]] = field(default_factory=dict)

    def keep(self, account: str, bookings: tuple[Booking, ...]) -> None:
        with self.lock:
            self.bookings.setdefault(account, []).extend(bookings)

    def of(self, account: str) -> list[Booking]:
        with self.lock:
            return list(self.bookings.get(account, ()))


class Conflicts:
    """How often cashiers had to begin again."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0

    def count(self) -> None:
        with self.lock:
            self.number += 1


class Ledger:
    """Accounts by name."""

    def __init__(self, balances: dict[str, int], room: int) -> None:
        self.accounts = {name: Account(name, State(balance)) for name, balance in balances.items()}
        self.archive = Archive()
        self.conflicts = Conflicts()
        self.room = room

    def update(self, name: str, change: Callable[[State], State]) -> State:
        """Change an account, from whatever state it is in."""
        account = self.accounts[name]
        while True:
            old = account.read()
            new = change(old)
            if account.replace(old, new):
                return new
            self.conflicts.count()

    def book(self, name: str, text: str, amount: int) -> None:
        state = self.update(name, lambda old: old.book(Booking(text, amount)))
        if len(state.bookings) > self.room:
            self.tidy(name)

    def tidy(self, name: str) -> None:
        """Move all bookings but the last ones to the archive."""
        account = self.accounts[name]
        while True:
            old = account.read()
            moved = old.bookings[: -self.room]
            if not moved:
                return
            new = replace(old, version=old.version + 1, bookings=old.bookings[-self.room :])
            if account.replace(old, new):
                self.archive.keep(name, moved)
                return
            self.conflicts.count()

    def statement(self, name: str) -> list[str]:
        """All bookings, in no certain order."""
        bookings = [*self.archive.of(name), *self.accounts[name].read().bookings]
        return sorted(f"{booking.text} {booking.amount:+}" for booking in bookings)


def cashier(ledger: Ledger, orders: list[tuple[str, str, int]], refused: list[str]) -> None:
    for name, text, amount in orders:
        try:
            ledger.book(name, text, amount)
        except Overdrawn as error:
            refused.append(str(error))


def clerk(ledger: Ledger, fee: int) -> None:
    for name in ledger.accounts:
        ledger.book(name, "fee", -fee)


def main() -> None:
    ledger = Ledger({"shop": 10, "club": 5}, room=2)
    refused: list[list[str]] = [[], []]
    threads = [
        threading.Thread(
            target=cashier,
            args=(ledger, [("shop", "rent", -5), ("shop", "sale", 5), ("club", "house", -99)], refused[0]),
        ),
        threading.Thread(target=cashier, args=(ledger, [("shop", "tea", -2)], refused[1])),
        threading.Thread(target=clerk, args=(ledger, 1), name="clerk"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == [["house"], []]
    assert ledger.statement("shop") == ["fee -1", "rent -5", "sale +5", "tea -2"], ledger.statement("shop")
    assert ledger.accounts["shop"].read().balance == 7
    assert ledger.statement("club") == ["fee -1"]


if __name__ == "__main__":
    main()
