"""Received into under a lock."""

import socket
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


buf = bytearray(4)
lock = threading.Lock()
a, b = socket.socketpair()
b.send(b"ab")


def one():
    with lock:
        a.recv_into(buf)


def two():
    with lock:
        buf.append(1)


run(one, two)
assert len(buf) == 5
