"""A shared error is raised again, which sets its traceback."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


error = ValueError()


def write():
    try:
        raise error
    except ValueError:
        pass


def look():
    a = error.__traceback__
    b = error.__traceback__
    assert a is b


run(write, look)
