"""A thread that waits for a buffer over a socket drops the line that the other thread has left there."""

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
