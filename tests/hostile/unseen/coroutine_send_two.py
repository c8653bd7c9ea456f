"""Coroutine send two."""

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
    await Once()


shared = inner()
got = []


def one():
    try:
        got.append(shared.send(None))
    except StopIteration:
        got.append(None)


run(one, one)
assert got == [1, 1]
