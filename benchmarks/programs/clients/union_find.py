"""Clients of union-find with path compression under one lock (thesis on NCMC, 4.5.1). ``query``: each of n threads asks
for two representatives in a chain, which shortens paths. ``mixed``: every second one unites two sets instead."""

import sys
import threading

import mazurka


def representatives_of(forest):
    found = []
    for element in range(len(forest.parents)):
        while forest.parents[element] != element:
            element = forest.parents[element]
        found.append(element)
    return tuple(found)


@mazurka.linearizable("union_find", "find", "union", state=representatives_of)
class Forest:
    def __init__(self, count):
        self.parents = list(range(count))
        self.lock = threading.Lock()

    def _root(self, x):
        root = x
        while self.parents[root] != root:
            root = self.parents[root]
        while self.parents[x] != root:
            self.parents[x], x = root, self.parents[x]
        return root

    def find(self, x):
        with self.lock:
            return self._root(x)

    def union(self, x, y):
        with self.lock:
            self.parents[self._root(x)] = self._root(y)


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def program(count=4, workload="mixed"):
    forest = Forest(count)
    finding = [
        lambda number=number: (forest.find((number - 1) % count), forest.find((number + 1) % count))
        for number in range(count)
    ]
    if workload == "query":
        for number in range(count - 1):
            forest.parents[number] = number + 1
        run(*finding)
    else:
        uniting = [lambda number=number: forest.union(number, (number + 1) % count) for number in range(count)]
        run(*[(uniting if number % 2 else finding)[number] for number in range(count)])
    assert forest.find(0) == forest.find(0)


if __name__ == "__main__":
    program(int(sys.argv[1]), sys.argv[2])
