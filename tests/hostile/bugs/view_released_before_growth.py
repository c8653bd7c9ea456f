"""View released before growth."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


b = bytearray(b"abc")
m = memoryview(b)


def one():
    m.release()


def two():
    b.append(1)


run(one, two)
