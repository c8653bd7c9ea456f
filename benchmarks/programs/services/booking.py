"""A box office: visitors hold seats, pay for them or don't, and seats whose hold is over go to the waiting list.

A hold lasts for some ticks of the office's clock. A sweeper looks for holds that are over and gives their seats to
those who wait. Payments go through a bank that may decline, and each sale is printed.

Seeded (check then act): a visitor's hold is looked at before the payment and the seat is sold after it, and the sweeper
may have given the seat to another one in between: it is sold twice. Repaired: a hold that is being paid is not swept.
"""

import itertools
import logging
import sys
import threading
from collections import deque
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv

log = logging.getLogger("booking")


class Gone(Exception):
    """The hold is over, or there is no seat."""


class Declined(Exception):
    """The bank didn't pay."""


@dataclass
class Hold:
    """A seat that is kept for a visitor until a tick."""

    number: int
    visitor: str
    seat: str
    until: int
    paying: bool = False


@dataclass(frozen=True)
class Ticket:
    seat: str
    visitor: str


class Clock:
    """Counts ticks."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ticks = 0

    def tick(self) -> int:
        with self.lock:
            self.ticks += 1
            return self.ticks

    def now(self) -> int:
        with self.lock:
            return self.ticks


class Bank:
    """Accounts by visitor."""

    def __init__(self, balances: dict[str, int]) -> None:
        self.lock = threading.Lock()
        self.balances = balances

    def pay(self, visitor: str, amount: int) -> None:
        with self.lock:
            if self.balances.get(visitor, 0) < amount:
                raise Declined(visitor)
            self.balances[visitor] -= amount

    def pay_back(self, visitor: str, amount: int) -> None:
        with self.lock:
            self.balances[visitor] += amount


@dataclass
class Printer:
    """Tickets in the order in which they were sold."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    tickets: list[Ticket] = field(default_factory=list)

    def print(self, ticket: Ticket) -> None:
        with self.lock:
            self.tickets.append(ticket)


class Hall:
    """Free seats, seats on hold, and those who wait for one."""

    def __init__(self, seats: list[str], clock: Clock, patience: int) -> None:
        self.lock = threading.Lock()
        self.free = deque(seats)
        self.holds: dict[int, Hold] = {}
        self.waiting: deque[str] = deque()
        self.clock = clock
        self.patience = patience
        self.numbers = itertools.count(1)

    def hold(self, visitor: str) -> Hold | None:
        """A hold, or none: the visitor then waits."""
        now = self.clock.now()
        with self.lock:
            if not self.free:
                self.waiting.append(visitor)
                return None
            return self.enter(visitor, self.free.popleft(), now)

    def enter(self, visitor: str, seat: str, now: int) -> Hold:
        hold = Hold(next(self.numbers), visitor, seat, now + self.patience)
        self.holds[hold.number] = hold
        return hold

    def begin_payment(self, hold: Hold) -> None:
        with self.lock:
            if hold.number not in self.holds:
                raise Gone(hold.seat)
            if REPAIRED:
                hold.paying = True

    def sold(self, hold: Hold) -> Ticket:
        with self.lock:
            self.holds.pop(hold.number, None)
        return Ticket(hold.seat, hold.visitor)

    def free_again(self, hold: Hold) -> None:
        with self.lock:
            if self.holds.pop(hold.number, None) is not None:
                self.free.append(hold.seat)

    def sweep(self) -> list[Hold]:
        """End the holds that are over. Those who wait get new ones."""
        now = self.clock.now()
        given: list[Hold] = []
        with self.lock:
            for hold in list(self.holds.values()):
                if hold.until <= now and not hold.paying:
                    del self.holds[hold.number]
                    self.free.append(hold.seat)
            while self.free and self.waiting:
                given.append(self.enter(self.waiting.popleft(), self.free.popleft(), now))
        return given


class Office:
    """Sells tickets."""

    price = 20

    def __init__(self, hall: Hall, bank: Bank) -> None:
        self.hall = hall
        self.bank = bank
        self.printer = Printer()

    def buy(self, hold: Hold) -> bool:
        try:
            self.hall.begin_payment(hold)
            self.bank.pay(hold.visitor, self.price)
        except Gone:
            log.info("%s came too late", hold.visitor)
            return False
        except Declined:
            self.hall.free_again(hold)
            return False
        self.printer.print(self.hall.sold(hold))
        return True


def visitor(office: Office, name: str, outcomes: dict[str, str]) -> None:
    hold = office.hall.hold(name)
    if hold is None:
        outcomes.setdefault(name, "waits")  # unless it was served since
    else:
        outcomes[name] = "sits" if office.buy(hold) else "leaves"


def sweeper(office: Office, clock: Clock, rounds: int, outcomes: dict[str, str]) -> None:
    """Let the time go by, and sell to those who waited."""
    for _ in range(rounds):
        clock.tick()
        for hold in office.hall.sweep():
            outcomes[hold.visitor] = "sits" if office.buy(hold) else "leaves"


def main() -> None:
    clock = Clock()
    hall = Hall(["A1"], clock, patience=1)
    office = Office(hall, Bank({"ann": 50, "ben": 20, "cid": 5}))
    hall.waiting.append("ben")
    outcomes: dict[str, str] = {}
    threads = [
        threading.Thread(target=visitor, args=(office, "ann", outcomes), name="ann"),
        threading.Thread(target=visitor, args=(office, "cid", outcomes), name="cid"),
        threading.Thread(target=sweeper, args=(office, clock, 2, outcomes), name="sweeper"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seats = [ticket.seat for ticket in office.printer.tickets]
    assert len(seats) == len(set(seats)), office.printer.tickets
    assert all(outcomes[ticket.visitor] == "sits" for ticket in office.printer.tickets)
    assert sum(office.bank.balances.values()) == 75 - 20 * len(seats)


if __name__ == "__main__":
    main()
