"""Socket default timeout."""

import socket
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    socket.setdefaulttimeout(3)
    socket.setdefaulttimeout(None)


def b():
    with socket.socket() as s:
        assert s.gettimeout() is None


run(a, b)
