"""Future callbacks list."""

import threading
from concurrent.futures import Future


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


f = Future()


def a():
    f.add_done_callback(id)


def b():
    assert len(f._done_callbacks) == 0


run(a, b)
