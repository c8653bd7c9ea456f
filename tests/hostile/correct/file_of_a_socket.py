"""A buffer in C keeps other threads out while it waits for what comes from a socket."""

import socket
import threading

here, there = socket.socketpair()
here.sendall(b"one\ntwo\n")
here.close()
seen = []
with there, there.makefile("rb") as file:
    threads = [threading.Thread(target=lambda: seen.append(file.readline())) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
assert sorted(seen) == [b"one\n", b"two\n"], seen
