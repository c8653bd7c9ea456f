"""Code in C issues a warning that it has issued before, beside a change of the filters that makes it an error."""

import threading
import warnings


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


warnings.simplefilter("default")


def issue():
    bool(NotImplemented)


issue()


def a():
    with warnings.catch_warnings():
        warnings.simplefilter("error")


run(a, issue)
