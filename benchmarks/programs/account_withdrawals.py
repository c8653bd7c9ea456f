"""JM-Account, withdrawers only: n withdrawals under the lock. Correct."""

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
    account = Account(100)
    run(*[lambda: account.withdraw(100)] * n)
    assert account.amount == 100 - 100 * n


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
