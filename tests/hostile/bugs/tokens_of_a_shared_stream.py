"""A generator of tokens takes lines of a stream from which another thread takes some, too."""

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
    tokens = tokenize.generate_tokens(stream.readline)
    ready.set()
    found.extend([each.string for each in tokens if each.type == tokenize.NAME])


def b():
    ready.wait()
    stream.readline()


found = []
ready = threading.Event()
stream = io.StringIO("a\nb\nc\n")
run(a, b)
assert found in (["a", "b", "c"], ["b", "c"])
