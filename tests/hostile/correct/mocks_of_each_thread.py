"""Each thread makes mocks of its own, whose special methods it sets."""

import threading
from unittest import mock


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def work():
    made = mock.MagicMock(return_value=3)
    made.__len__.return_value = 2
    assert made(1) == 3
    assert len(made) == 2
    made.assert_called_once_with(1)


run(work, work)
