"""Cycles unnoticed."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def one():
    for _ in range(10):
        a = []
        a.append(a)


run(one, one)
