"""Two people deposit into one account, one after the other."""

import threading


class Account:
    def __init__(self):
        self.balance = 100
        self.lock = threading.Lock()

    def deposit(self, amount):
        with self.lock:
            self.balance += amount


def main():
    account = Account()
    people = [threading.Thread(target=account.deposit, args=(50,)) for _ in range(2)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert account.balance == 200, f"200 expected, {account.balance} found"


if __name__ == "__main__":
    main()
