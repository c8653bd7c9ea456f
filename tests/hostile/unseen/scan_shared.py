"""Two threads use one result of `os.scandir`."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


os.mkdir("folder")
for name in "ab":
    os.mkdir(f"folder/{name}")
found = os.scandir("folder")
counts = []


def count():
    counts.append(len(list(found)))


run(count, count)
assert counts != [0, 2]
