"""Clients of a hash table of buckets under one lock (thesis on NCMC, 4.5.1). ``query``: each of n threads asks for two
keys. ``mixed``: each of n threads puts a value of its own under one of three keys, and asks for the next one."""

import sys
import threading

import mazurka


def pairs_of(table):
    return frozenset((key, value) for bucket in table.buckets for key, value in bucket)


@mazurka.linearizable("hash_table", "put", "get", "size", state=pairs_of)
class Table:
    def __init__(self):
        self.buckets = [[] for _ in range(2)]
        self.count = 0
        self.lock = threading.Lock()

    def put(self, k, v):
        with self.lock:
            bucket = self.buckets[k % len(self.buckets)]
            for place, (key, value) in enumerate(bucket):
                if key == k:
                    bucket[place] = (k, v)
                    return value
            bucket.append((k, v))
            self.count += 1
            return None

    def get(self, k):
        with self.lock:
            for key, value in self.buckets[k % len(self.buckets)]:
                if key == k:
                    return value
            return None

    def size(self):
        with self.lock:
            return self.count


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def program(count=4, workload="mixed"):
    table = Table()
    if workload == "query":
        for number in range(count):
            table.put(number, number)
        run(*[lambda number=number: (table.get(number), table.get(number + 1)) for number in range(count)])
    else:
        run(
            *[
                lambda number=number: (table.put(number % 3, number), table.get((number + 1) % 3))
                for number in range(count)
            ]
        )
    assert table.size() == (count if workload == "query" else min(count, 3))


if __name__ == "__main__":
    program(int(sys.argv[1]), sys.argv[2])
