"""The text of a socket says whether it is closed."""

import socket
import threading

sock = socket.socket()
seen = []

threads = [
    threading.Thread(target=sock.close),
    threading.Thread(target=lambda: seen.append("[closed]" in repr(sock))),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
