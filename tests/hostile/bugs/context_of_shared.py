"""A shared error is raised again, which sets its context."""

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
        try:
            raise KeyError
        except KeyError:
            raise error
    except ValueError:
        pass


def look():
    a = error.__context__
    b = error.__context__
    assert a is b


run(write, look)
