"""Threads that share a list under a lock join pieces of texts of their own; a shared row is never changed."""

import threading
from itertools import chain

ROW = ["a", "b"]


def text(each):
    return str(each)


def test():
    lock, seen, shared = threading.Lock(), [], []

    def work(name):
        with lock:
            shared.append(name)
            seen.append("".join(chain.from_iterable(map(text, row) for row in ([name], ROW, shared[:1]))))

    threads = [threading.Thread(target=work, args=(each,)) for each in "xy"]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(seen) in (["xabx", "yabx"], ["xaby", "yaby"])


test()
