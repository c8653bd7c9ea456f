"""Codecs.register_error against str.encode(errors=...)."""

import codecs
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


codecs.register_error("mine", lambda e: ("?", e.end))


def write():
    codecs.register_error("mine", lambda e: ("!", e.end))
    codecs.register_error("mine", lambda e: ("?", e.end))


def look():
    assert "\xe9".encode("ascii", "mine") == b"?"


run(write, look)
