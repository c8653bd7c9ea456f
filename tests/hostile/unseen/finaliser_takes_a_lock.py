"""An object in a cycle takes a lock when it ends, maybe while its thread holds that."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    def __init__(self, *given):
        self.me = self
        self.given = given
        self.closed = False


lock = threading.Lock()


class Locking(Node):
    def __del__(self):
        with lock:
            self.closed = True


def work():
    node = Locking()
    del node
    with lock:
        junk = [[] for _ in range(5)]
    assert len(junk) == 5


run(work, work)
