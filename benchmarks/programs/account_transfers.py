"""JM-Account, transfers: n accounts give to one, under the locks of both. Correct."""

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
    source = [Account(110) for _ in range(n)]
    target = Account(0)
    run(*[lambda account=account: account.transfer(target, 100) for account in source])
    assert target.amount == 100 * n


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
