"""An account whose deposits are counted outside the lock. Most runs come out right."""

import threading
import time


class Account:
    def __init__(self):
        self.balance = 0
        self.deposits = 0
        self.lock = threading.Lock()

    def deposit(self, amount):
        with self.lock:
            self.balance += amount
        self.deposits += 1


account = Account()
threads = [threading.Thread(target=account.deposit, args=(amount,)) for amount in (10, 20)]
for thread in threads:
    thread.start()
    time.sleep(0.01)
for thread in threads:
    thread.join()
print(f"{account.deposits} deposits, {account.balance} in all")
