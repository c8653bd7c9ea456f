"""Clients of a set, a sorted linked list under one lock (thesis on NCMC, 4.5.1). ``query``: each of n threads asks for
two elements. ``mixed``: each of n threads adds one of its own, while another one asks for the size."""

import sys
import threading

import mazurka


class Node:
    def __init__(self, item, following):
        self.item = item
        self.following = following


def items_of(linked):
    found, node = [], linked.first
    while node is not None:
        found.append(node.item)
        node = node.following
    return frozenset(found)


@mazurka.linearizable("concurrent_set", "add", "contains", "size", state=items_of)
class LinkedSet:
    def __init__(self):
        self.first = None
        self.lock = threading.Lock()

    def add(self, v):
        with self.lock:
            before, node = None, self.first
            while node is not None and node.item < v:
                before, node = node, node.following
            if node is not None and node.item == v:
                return False
            made = Node(v, node)
            if before is None:
                self.first = made
            else:
                before.following = made
            return True

    def contains(self, v):
        with self.lock:
            node = self.first
            while node is not None and node.item < v:
                node = node.following
            return node is not None and node.item == v

    def size(self):
        with self.lock:
            count, node = 0, self.first
            while node is not None:
                count, node = count + 1, node.following
            return count


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def program(count=4, workload="mixed"):
    shared = LinkedSet()
    if workload == "query":
        for number in range(count):
            shared.add(number)
        run(*[lambda number=number: (shared.contains(number), shared.contains(number + 1)) for number in range(count)])
    else:
        run(*[lambda number=number: shared.add(number) for number in range(count)], shared.size)
    assert shared.size() == count


if __name__ == "__main__":
    program(int(sys.argv[1]), sys.argv[2])
