"""Each thread has a stream of its own."""

import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


got = []


def write():
    stream = io.StringIO()
    stream.write("a")
    stream.seek(0)
    got.append(stream.read())


run(write, write)
assert got == ["a", "a"]
