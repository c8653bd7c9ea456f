"""Asynchronous generator of two."""

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


async def numbers():
    for i in range(2):
        await Once()
        yield i


shared = numbers()


async def use():
    async for x in shared:
        pass


def drive():
    c = use()
    try:
        while True:
            c.send(None)
    except StopIteration:
        pass


run(drive, drive)
