"""F-string of a tuple display holding a shared list: f"{(items,)}"."""

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


def look():
    text = f"{(items,)}"
    assert text != "([1],)"


run(write, look)
