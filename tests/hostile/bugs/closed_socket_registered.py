"""A socket is registered with a selector while another thread closes it; if that goes first, it has no descriptor."""

import selectors
import socket
import threading

one, other = socket.socketpair()
selector = selectors.DefaultSelector()
seen = []


def register():
    try:
        selector.register(one, selectors.EVENT_READ)
        seen.append("registered")
    except ValueError:
        seen.append("closed")


threads = [threading.Thread(target=one.close), threading.Thread(target=register)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert seen == ["closed"], seen
