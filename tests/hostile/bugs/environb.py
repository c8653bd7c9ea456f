"""`os.environ` shows values that `os.environb` stores."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


os.environ["HB"] = "0"


def a():
    os.environ["HB"] = str(int(os.environ["HB"]) + 1)


def b():
    os.environb[b"HB"] = b"%d" % (int(os.environb[b"HB"]) + 1)


run(a, b)
assert os.environ["HB"] == "2"
