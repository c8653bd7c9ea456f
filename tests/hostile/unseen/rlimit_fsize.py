"""Rlimit fsize."""

import resource
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)


def a():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def b():
    with open("f_t", "w") as f:
        f.write("x")


run(a, b)
