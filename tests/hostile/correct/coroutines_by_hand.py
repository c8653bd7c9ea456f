"""Coroutines by hand."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Once:
    def __await__(self):
        yield 1


async def inner():
    await Once()
    return 5


async def outer():
    return await inner()


got = []


def drive():
    c = outer()
    try:
        while True:
            c.send(None)
    except StopIteration as e:
        got.append(e.value)


run(drive, drive)
assert got == [5, 5]
