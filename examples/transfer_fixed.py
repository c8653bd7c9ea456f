"""Two transfers in opposite directions; both take the locks in the order of the account numbers."""

import threading


class Account:
    def __init__(self, number, balance):
        self.number = number
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    first, second = sorted((source, target), key=lambda account: account.number)
    with first.lock, second.lock:
        source.balance -= amount
        target.balance += amount


def main():
    checking, savings = Account(1, 100), Account(2, 100)
    there = threading.Thread(target=transfer, args=(checking, savings, 30))
    back = threading.Thread(target=transfer, args=(savings, checking, 10))
    there.start()
    back.start()
    there.join()
    back.join()
    assert checking.balance == 80
    assert savings.balance == 120


if __name__ == "__main__":
    main()
