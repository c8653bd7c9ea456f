"""Code in C takes the bytes of an array past the `__iter__` of its class."""

import array
import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Numbers(array.array):
    def __iter__(self):
        return super().__iter__()


numbers = Numbers("b", [1, 2])


def look():
    assert io.BytesIO(numbers).read() != b"\1\2\3"


run(look, lambda: numbers.append(3))
