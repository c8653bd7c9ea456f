"""Two threads take numbers from one generator. After reports about clients that share an iterator of results."""

import threading


def numbers():
    n = 0
    while True:
        n += 1
        yield n


tickets = numbers()
taken = []


def take():
    taken.append(next(tickets))


threads = [threading.Thread(target=take) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(taken) == [1, 2]
