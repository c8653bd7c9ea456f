"""Print(outer, file=...) nested."""

import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = []
outer = [inner]


def write():
    inner.append(1)
    inner.clear()


def look():
    out = io.StringIO()
    print(outer, file=out)
    assert out.getvalue() == "[[]]\n"


run(write, look)
