"""Testcase maxdiff."""

import threading
import unittest


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


t = unittest.TestCase()


def a():
    unittest.TestCase.longMessage = False
    unittest.TestCase.longMessage = True


def b():
    try:
        t.assertEqual(1, 2, "hi")
    except AssertionError as e:
        assert "1 !=" in str(e)


run(a, b)
