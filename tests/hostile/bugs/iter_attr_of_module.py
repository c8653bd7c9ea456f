"""From a quiet module: keyword.kwlist.append (call through `import keyword`)."""

import keyword
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def write():
    keyword.kwlist.append("zzz")
    keyword.kwlist.remove("zzz")


def look():
    assert "zzz" not in keyword.kwlist


run(write, look)
