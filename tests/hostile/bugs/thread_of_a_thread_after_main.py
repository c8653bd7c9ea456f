"""A thread starts a daemon that comes after the end of main and of that thread."""

import threading

order = []


def late():
    assert len(order) < 2


def start():
    threading.Thread(target=late, daemon=True).start()
    order.append("thread")


threading.Thread(target=start).start()
order.append("main")
