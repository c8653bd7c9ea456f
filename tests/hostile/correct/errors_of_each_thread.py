"""Errors of each thread."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def one():
    try:
        open("/nonexistent/file")
    except OSError as e:
        e.add_note("hello")
        assert e.errno == 2 and "nonexistent" in str(e) and e.__notes__ == ["hello"]


run(one, one)
