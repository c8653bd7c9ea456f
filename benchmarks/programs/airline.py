"""JM-Airline: main starts a seller per ticket until one says that all are sold. No bug: sales are locked."""

import sys
import threading


class Flight:
    def __init__(self):
        self.sold = 0
        self.stop = False
        self.lock = threading.Lock()


def program(n=3):
    flight = Flight()
    capacity = n - max(1, n // 10)

    def sell():
        with flight.lock:
            if flight.sold >= capacity:
                flight.stop = True
            else:
                flight.sold = flight.sold + 1

    started = []
    for _ in range(n):
        if not flight.stop:
            thread = threading.Thread(target=sell)
            thread.start()
            started.append(thread)
    for thread in started:
        thread.join()
    return flight.sold, len(started)


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    sold, _ = program(n)
    assert sold >= n - max(1, n // 10)
