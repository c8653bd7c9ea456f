"""NH-ainc: n threads add one, indivisibly."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Cell:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def fetch_add(self):
        with self.lock:
            self.value += 1


def program(n=3):
    x = Cell()
    run(*[x.fetch_add] * n)
    return x.value


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    assert program(n) == n
