import threading


class TooLittle(Exception):
    pass


class Account:
    make_lock = threading.RLock
    last = 0

    def __init__(self, balance=0):
        self.number = Account.last = Account.last + 1
        self.balance = balance
        self.lock = self.make_lock()

    def withdraw(self, amount):
        with self.lock:
            if amount > self.balance:
                raise TooLittle(amount)
            self.balance -= amount

    def deposit(self, amount):
        with self.lock:
            self.balance += amount


def transfer(source, target, amount):
    """Takes the locks in the order of its arguments."""
    with source.lock:
        with target.lock:
            source.withdraw(amount)
            target.deposit(amount)


def transfer_in_order(source, target, amount):
    first, second = sorted((source, target), key=lambda account: account.number)
    with first.lock, second.lock:
        source.withdraw(amount)
        target.deposit(amount)
