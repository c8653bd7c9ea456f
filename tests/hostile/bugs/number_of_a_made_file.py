"""The number of a temporary file depends on whether another thread has closed its own."""

import os
import tempfile
import threading

numbers = []


def make(folder):
    return tempfile.mkstemp(dir=folder)


def writes(folder):
    number, _ = make(folder)
    numbers.append(number)
    with os.fdopen(number, "wb") as file:
        file.write(b"x")


with tempfile.TemporaryDirectory() as folder:
    threads = [threading.Thread(target=writes, args=(folder,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
assert numbers[0] == numbers[1], numbers
