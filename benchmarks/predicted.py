"""Programs that fail because of a value read, among many other locations that threads share: prediction is measured on
them.

Each function is a program with one bug. ``hits`` and ``seconds`` are statistics of such programs: shared, updated
without a lock, and of no consequence.
"""

import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Statistics:
    def __init__(self):
        self.hits = self.misses = self.seconds = self.last = 0

    def note(self, number):
        self.hits = self.hits + 1
        self.seconds = self.seconds + number
        self.last = number
        if self.last > self.hits:
            self.misses = self.misses + 1


class Socket:
    def __init__(self):
        self.sent = []

    def send(self, text):
        self.sent.append(text)


class Connection:
    def __init__(self):
        self.socket = Socket()
        self.state = "open"
        self.statistics = Statistics()

    def send(self, text):
        self.statistics.note(1)
        if self.state == "open":
            self.statistics.note(2)
            socket = self.socket
            socket.send(text)

    def close(self):
        self.statistics.note(3)
        self.socket = None
        self.state = "closed"


def use_after_close():
    connection = Connection()
    run(lambda: connection.send("a"), lambda: connection.send("b"), connection.close)


class Session:
    def __init__(self):
        self.users = {"ann": 1}
        self.statistics = Statistics()

    def greet(self):
        self.statistics.note(1)
        if "ann" in self.users:
            self.statistics.note(2)
            return self.users["ann"]
        return None

    def leave(self):
        self.statistics.note(3)
        del self.users["ann"]


def look_up_after_delete():
    session = Session()
    run(session.greet, session.greet, session.leave)


class Stock:
    def __init__(self):
        self.left = 3
        self.reserved = 0
        self.statistics = Statistics()

    def reserve(self, number):
        self.statistics.note(number)
        left = self.left
        if left < number:
            raise RuntimeError("sold out")
        self.reserved = self.reserved + number
        self.left = self.left - number
        self.statistics.note(number)


def oversold():
    stock = Stock()
    run(lambda: stock.reserve(1), lambda: stock.reserve(1))
    assert stock.left == 1


class Range:
    def __init__(self):
        self.low, self.high = 0, 10
        self.statistics = Statistics()

    def move(self):
        self.statistics.note(1)
        self.low = 20
        self.statistics.note(2)
        self.high = 30

    def look(self):
        self.statistics.note(3)
        low, high = self.low, self.high
        self.statistics.note(4)
        assert low <= high


def torn_range():
    both = Range()
    run(both.look, both.move, lambda: both.statistics.note(5))


class Order:
    def __init__(self):
        self.paid = False
        self.shipped = False
        self.total = 0
        self.statistics = Statistics()

    def pay(self):
        self.statistics.note(1)
        self.total = self.total + 10
        self.paid = True

    def add(self):
        self.statistics.note(2)
        total = self.total
        self.statistics.note(3)
        self.total = total + 5

    def ship(self):
        self.statistics.note(4)
        if self.paid:
            self.shipped = True
            if self.total < 10:
                raise ValueError("too cheap")


def lost_payment():
    order = Order()
    run(order.pay, order.add, order.ship)


class Service:
    def __init__(self):
        self.ready = False
        self.statistics = Statistics()

    def start(self):
        self.statistics.note(1)
        self.ready = True
        self.statistics.note(2)
        self.settings = {"size": 4}

    def serve(self):
        self.statistics.note(3)
        if self.ready:
            self.statistics.note(4)
            return self.settings["size"]
        return None


def served_too_early():
    service = Service()
    run(service.serve, service.start, lambda: service.statistics.note(5))


class Account:
    def __init__(self):
        self.balance = 10
        self.statistics = Statistics()

    def withdraw(self, amount):
        self.statistics.note(1)
        if self.balance < amount:
            raise ValueError("overdrawn")
        self.balance = self.balance - amount
        self.statistics.note(2)

    def charge(self, fee):
        self.statistics.note(3)
        self.balance = self.balance - fee


def overdrawn():
    account = Account()
    run(lambda: account.withdraw(8), lambda: account.statistics.note(5), lambda: account.charge(3))


BUGS = (use_after_close, look_up_after_delete, oversold, torn_range, lost_payment, served_too_early, overdrawn)
