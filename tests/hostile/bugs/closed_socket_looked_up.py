"""A selector asks a socket for its number when it looks for the registration: one that is closed has none."""

import selectors
import socket
import threading

first, second = socket.socketpair()
selector = selectors.SelectSelector()
errors = []


def look():
    try:
        selector.get_key(first)
    except (KeyError, ValueError) as error:
        errors.append(type(error).__name__)


threads = [threading.Thread(target=first.close), threading.Thread(target=look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
second.close()
assert errors == ["ValueError"]
