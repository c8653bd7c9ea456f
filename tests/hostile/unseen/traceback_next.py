"""A traceback is shortened while another thread looks at it."""

import threading


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
    tb = e.__traceback__
inner = tb.tb_next


def write():
    tb.tb_next = None
    tb.tb_next = inner


def look():
    assert tb.tb_next is inner


run(write, look)
