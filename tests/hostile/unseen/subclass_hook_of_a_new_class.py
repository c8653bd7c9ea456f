"""Subclass hook of a new class."""

import abc
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class A(abc.ABC):
    pass


class C:
    pass


def one():
    assert not issubclass(C, A)


def two():
    class B(A):
        @classmethod
        def __subclasshook__(cls, o):
            return True


run(one, two)
