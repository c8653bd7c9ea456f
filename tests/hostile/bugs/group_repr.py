"""Group repr."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [ValueError("x")]
group = ExceptionGroup("g", items)


def one():
    assert "y" not in repr(group)


def two():
    items[0].args = ("y",)


run(one, two)
