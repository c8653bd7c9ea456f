"""A condition is waited for in a loop."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


ready = False
condition = threading.Condition()


def wait():
    with condition:
        while not ready:
            condition.wait()


def tell():
    global ready
    with condition:
        ready = True
        condition.notify_all()


run(wait, tell)
