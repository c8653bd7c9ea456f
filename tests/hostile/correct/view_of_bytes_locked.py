"""View of bytes locked."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


b = bytearray(b"abcd")
lock = threading.Lock()


def one():
    with lock:
        with memoryview(b) as m:
            assert m[0] == 97


def two():
    with lock:
        b.append(1)


run(one, two)
