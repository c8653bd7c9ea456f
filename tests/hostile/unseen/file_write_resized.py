"""File write resized."""

import tempfile
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


buf = bytearray(4)
f = tempfile.TemporaryFile(buffering=0)


def one():
    f.write(buf)


def two():
    buf.append(1)


run(one, two)
