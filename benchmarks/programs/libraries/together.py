"""Functions that the programs of this folder have in common."""

import threading


def run(*functions):
    """Call each function in a thread of its own, and wait for all."""
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
