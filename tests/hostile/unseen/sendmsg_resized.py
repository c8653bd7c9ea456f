"""Sendmsg resized."""

import socket
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


buf = bytearray(4)
a, b = socket.socketpair()


def one():
    a.sendmsg([buf, b"x"])


def two():
    buf.clear()


run(one, two)
