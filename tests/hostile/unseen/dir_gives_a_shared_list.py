"""Dir gives a shared list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = ["a"]


class A:
    def __dir__(self):
        return names


a = A()


def one():
    assert dir(a) == ["a"]


def two():
    names.append("b")


run(one, two)
