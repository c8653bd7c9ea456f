"""dir() lists the variables of the module."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def work():
    global late
    late = 1
    del late


thread = threading.Thread(target=work)
thread.start()
assert "late" not in dir()
thread.join()
