"""A socket has an address once it is connected."""

import socket
import threading

server = socket.create_server(("127.0.0.1", 0))
place = server.getsockname()
sock = socket.socket()
seen = []

threads = [
    threading.Thread(target=lambda: seen.append(sock.getsockname()[1] > 0)),
    threading.Thread(target=lambda: sock.connect(place)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
sock.close()
server.close()
assert seen == [False]
