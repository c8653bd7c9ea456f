"""A traceback is shortened while another thread goes through it."""

import threading
import traceback


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


try:

    def f():
        raise ValueError

    f()
except ValueError as e:
    error = e
tb = error.__traceback__
inner = tb.tb_next


def write():
    tb.tb_next = None
    tb.tb_next = inner


def look():
    assert len(traceback.extract_tb(tb)) == 2


run(write, look)
