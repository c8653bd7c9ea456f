"""Ordinary pytest tests that start threads; `pytest --mazurka` finds that the first one can fail."""

import threading

import pytest


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def count(self):
        self.value += 1

    def count_safely(self):
        with self.lock:
            self.value += 1


@pytest.fixture
def counter():
    return Counter()


def in_two_threads(function):
    threads = [threading.Thread(target=function) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_unsafe_counter(counter):
    in_two_threads(counter.count)
    assert counter.value == 2


def test_safe_counter(counter):
    in_two_threads(counter.count_safely)
    assert counter.value == 2
