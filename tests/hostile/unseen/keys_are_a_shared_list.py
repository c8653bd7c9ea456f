"""Keys are a shared list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


shared = ["a"]


class M:
    def keys(self):
        return shared

    def __getitem__(self, k):
        return 1


def one():
    assert dict(M()) == {"a": 1}


def two():
    shared.append("b")


run(one, two)
