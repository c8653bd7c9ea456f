"""A builtin is patched while another thread calls it."""

import threading
from unittest import mock


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    with mock.patch("builtins.ascii", len):
        pass


def b():
    assert ascii("x") == "'x'"


run(a, b)
