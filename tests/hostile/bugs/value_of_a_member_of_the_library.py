"""A member of an enumeration of the library gets another value."""

import http
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    http.HTTPStatus.OK.phrase = "Fine"


def b():
    assert http.HTTPStatus.OK.phrase == "OK"


run(a, b)
