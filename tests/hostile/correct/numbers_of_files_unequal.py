"""Two threads open a file each at the same time: their numbers differ in every order."""

import os
import tempfile
import threading

files = []


def opens(folder, name):
    files.append(open(os.path.join(folder, name), "w"))


with tempfile.TemporaryDirectory() as folder:
    threads = [threading.Thread(target=opens, args=(folder, name)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = [file.fileno() for file in files]
    for file in files:
        file.close()
assert numbers[0] != numbers[1], numbers
