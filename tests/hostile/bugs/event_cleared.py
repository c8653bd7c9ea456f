"""An event that is set and cleared at once: who begins to wait later waits for ever."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


gate = threading.Event()


def pulse():
    gate.set()
    gate.clear()


run(gate.wait, pulse)
