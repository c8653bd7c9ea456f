"""JM-Account, the ring: n accounts, each gives to the next under both locks. A deadlock, and a lost update."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Account:
    def __init__(self, amount):
        self.amount = amount
        self.lock = threading.RLock()

    def deposit(self, money):
        self.amount = self.amount + money

    def withdraw(self, money):
        with self.lock:
            self.amount = self.amount - money

    def transfer(self, to, money):
        with self.lock:
            self.amount = self.amount - money
            with to.lock:
                to.amount = to.amount + money


def program(n=2):
    ring = [Account(100) for _ in range(n)]

    def use(i):
        ring[i].deposit(300)
        ring[i].withdraw(100)
        ring[i].transfer(ring[(i + 1) % n], 100)

    run(*[lambda i=i: use(i) for i in range(n)])
    return ring


def bug():
    assert all(account.amount == 300 for account in program(2))


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
