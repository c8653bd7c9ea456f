"""Main waits for the thread that writes; the daemon may still read, or may have read, when the program ends."""

import threading


class Meter:
    total = 0


meter = Meter()


def watch():
    before = meter.total
    assert meter.total - before != 2


def add():
    meter.total += 2


watcher = threading.Thread(target=watch, daemon=True)
adder = threading.Thread(target=add)
watcher.start()
adder.start()
adder.join()
