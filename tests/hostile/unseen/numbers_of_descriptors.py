"""Numbers of descriptors."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


files = {}


def one():
    files["a"] = open("a", "w")


def two():
    files["b"] = open("b", "w")


run(one, two)
assert files["a"].fileno() < files["b"].fileno()
