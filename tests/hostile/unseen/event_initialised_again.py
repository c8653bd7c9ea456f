"""An event is initialised again."""

import threading

event = threading.Event()


def first():
    event.set()


def second():
    event.__init__()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert event.is_set()
