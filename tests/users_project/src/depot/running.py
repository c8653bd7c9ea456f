"""Threads for whoever needs two or three of them."""

from threading import Thread


def in_threads(*functions):
    """Call functions without arguments, each in a thread of its own, and wait for them."""
    threads = [Thread(target=function, daemon=True) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
