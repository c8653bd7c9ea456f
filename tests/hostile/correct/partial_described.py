"""Keywords of a partial, looked at beside its calls."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def step(by):
    return by


part = functools.partial(step, by=1)


def look():
    assert f"{part.keywords}" == "{'by': 1}"


def call():
    assert part() == 1


run(look, call)
