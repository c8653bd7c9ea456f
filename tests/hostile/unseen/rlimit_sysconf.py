"""Rlimit sysconf."""

import os
import resource
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)


def a():
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def b():
    assert os.sysconf("SC_OPEN_MAX") == soft


run(a, b)
