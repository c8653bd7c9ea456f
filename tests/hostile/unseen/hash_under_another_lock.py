"""Hash under another lock."""

import hashlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


buf = bytearray(5000)
lock = threading.Lock()
lock2 = threading.Lock()


def one():
    with lock:
        hashlib.sha256(buf).hexdigest()


def two():
    with lock2:
        buf.extend(b"ab")


run(one, two)
