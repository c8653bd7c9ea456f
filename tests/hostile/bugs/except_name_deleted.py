"""`except E as error`: the name is unbound at the handler's end while a thread reads it."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def look():
    error.args


try:
    raise ValueError
except ValueError as error:
    thread = threading.Thread(target=look)
    thread.start()
thread.join()
