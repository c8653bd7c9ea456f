"""Shared error raised twice."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Bad(Exception):
    pass


err = Bad("x")


def one():
    try:
        raise err
    except Bad as e:
        assert str(e) == "x"


run(one, one)
