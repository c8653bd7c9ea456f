"""A note is added during a report."""

import threading
import traceback


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


err = ValueError("x")


def one():
    assert "y" not in "".join(traceback.format_exception(err))


def two():
    err.add_note("y")


run(one, two)
