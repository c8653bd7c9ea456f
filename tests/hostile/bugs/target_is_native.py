"""Threads whose targets are methods of a list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
run(items.clear, lambda: items and items[0])
