"""An iterator over a view of bytes ends with an error once the view is released."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


view = memoryview(bytearray(b"abc"))
numbers = iter(view)


def look():
    assert list(numbers)


run(look, view.release)
