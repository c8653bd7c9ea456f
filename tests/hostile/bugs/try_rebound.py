"""Global bound in try and again in except (weight 1)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def look():
    a = x
    b = x
    assert a == b


try:
    x = 1
    thread = threading.Thread(target=look)
    thread.start()
    raise ValueError
except ValueError:
    x = 2
thread.join()
