"""A variable of an enclosing function is deleted."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def scope():
    value = 1

    def look():
        return value

    def delete():
        nonlocal value
        del value

    run(look, delete)


scope()
