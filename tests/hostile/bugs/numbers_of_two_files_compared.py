"""Two threads open a file each, and the program relies on the order of the numbers that they get."""

import os
import tempfile
import threading

numbers = {}


def opens(folder, name):
    with open(os.path.join(folder, name), "w") as file:
        numbers[name] = file.fileno()
        barrier.wait()


barrier = threading.Barrier(2)
with tempfile.TemporaryDirectory() as folder:
    threads = [threading.Thread(target=opens, args=(folder, name)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
assert numbers["a"] < numbers["b"], numbers
