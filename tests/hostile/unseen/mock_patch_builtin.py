"""The builtin len is patched while another thread calls it."""

import threading
from unittest import mock


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    with mock.patch("builtins.len", lambda x: 5):
        pass


def b():
    assert len("ab") == 2


run(a, b)
