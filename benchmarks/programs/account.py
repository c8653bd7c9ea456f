"""JM-Account: n deposits without the lock, n withdrawals with it. The bug is a lost update."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Account:
    def __init__(self):
        self.amount = 100
        self.lock = threading.Lock()


def program(n=2):
    account = Account()

    def deposit():
        account.amount = account.amount + 100

    def withdraw():
        with account.lock:
            account.amount = account.amount - 100

    run(*[deposit, withdraw] * n)
    return account


def bug():
    assert program(2).amount == 100


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
