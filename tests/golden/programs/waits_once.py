"""A consumer that waits without a loop is woken for an item that another one has taken."""

import threading

items = []
changed = threading.Condition()


def consume():
    with changed:
        if not items:
            changed.wait()
        items.pop()


def produce():
    with changed:
        items.append("item")
        changed.notify_all()


consumers = [threading.Thread(target=consume, daemon=True) for _ in range(2)]
for each in consumers:
    each.start()
produce()
produce()
for each in consumers:
    each.join()
