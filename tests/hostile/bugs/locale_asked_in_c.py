"""The locale is asked for by the function in C while another thread sets it there."""

import _locale
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    _locale.setlocale(_locale.LC_ALL, "C")


def b():
    assert _locale.setlocale(_locale.LC_CTYPE) == before


_locale.setlocale(_locale.LC_ALL, "C.UTF-8")
before = _locale.setlocale(_locale.LC_CTYPE)
run(a, b)
