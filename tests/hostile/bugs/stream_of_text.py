"""A stream keeps where it is: two who seek and write get in each other's way."""

import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


stream = io.StringIO("....")


def write(where, what):
    stream.seek(where)
    stream.write(what)


run(lambda: write(0, "a"), lambda: write(2, "b"))
assert stream.getvalue() == "a.b."
