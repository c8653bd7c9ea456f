"""Two transfers in opposite directions; each takes its source's lock first, and both can then wait for ever."""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    with source.lock, target.lock:
        source.balance -= amount
        target.balance += amount


def main():
    checking, savings = Account(100), Account(100)
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
