"""Match capture bound twice (guard of the first case fails)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def start():
    global thread
    thread = threading.Thread(target=look)
    thread.start()
    return False


def look():
    a = x
    b = x
    assert a == b


match [1, 2]:
    case [x, _] if start():
        pass
    case [_, x]:
        pass
thread.join()
