"""NH-indexer: n threads insert words into a hash table with a lock per slot; they meet from n = 12 on."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


SIZE = 128


class Slot:
    def __init__(self):
        self.word = 0
        self.lock = threading.Lock()

    def claim(self, word):
        with self.lock:
            if self.word != 0:
                return False
            self.word = word
            return True


def program(n=12):
    table = [Slot() for _ in range(SIZE)]

    def insert(tid):
        for m in range(1, 5):
            word = m * 11 + tid
            h = (word * 7) % SIZE
            while not table[h].claim(word):
                h = (h + 1) % SIZE

    run(*[lambda tid=tid: insert(tid) for tid in range(n)])
    return table


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    assert sum(slot.word != 0 for slot in program(n)) == 4 * n
