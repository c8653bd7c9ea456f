"""A partial of a method in C."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {"a": 1}
take = functools.partial(table.pop, "a")
run(take, take)
