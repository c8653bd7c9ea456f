"""F-string of *args that hold a shared list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


def write():
    items.append(1)
    items.append(2)


def show(*args):
    return f"{args}"


def look():
    assert show(items) != "([1],)"


run(write, look)
