"""Bytes that are made tokens of are shared."""

import io
import threading
import tokenize


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    tokens = tokenize.tokenize(stream.readline)
    ready.set()
    found.extend([each.string for each in tokens if each.type == tokenize.NAME])


def b():
    ready.wait()
    stream.readline()


found = []
ready = threading.Event()
stream = io.BytesIO(b"a\nb\nc\nd\n")
run(a, b)
assert "d" in found and len(found) == 4
