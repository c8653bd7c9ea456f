"""Generator awaited by two."""

import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@types.coroutine
def inner():
    yield 1
    return 2


shared = inner()


async def outer(log):
    log.append(await shared)


logs = [], []


def drive(log):
    c = outer(log)
    try:
        while True:
            c.send(None)
    except StopIteration:
        pass


run(lambda: drive(logs[0]), lambda: drive(logs[1]))
assert logs[0] == [2]
