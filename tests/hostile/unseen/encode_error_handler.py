"""Encode error handler."""

import codecs
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def reg():
    codecs.register_error("question", lambda e: ("?", e.end))


def use():
    assert "\xe9".encode("ascii", "question") == b"?"


run(reg, use)
