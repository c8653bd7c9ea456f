"""Lock repr."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


e = threading.Lock()


def a():
    with e:
        pass


def b():
    assert "unlocked" in repr(e)


run(a, b)
