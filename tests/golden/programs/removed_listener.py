"""A listener is removed while all are called. After reports about libraries for events."""

import threading

listeners = {"a": print, "b": print}


def fire():
    for name in listeners:
        assert name


threads = [threading.Thread(target=fire), threading.Thread(target=listeners.pop, args=("b",))]
for each in threads:
    each.start()
for each in threads:
    each.join()
