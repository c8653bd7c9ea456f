"""A mock counts its calls."""

import threading
import unittest.mock


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


call = unittest.mock.Mock()
run(call, call)
assert call.call_count == 2
