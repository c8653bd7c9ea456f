"""Identity of equal texts after two writers."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


box = Box()
one, other = "".join(["a", "b"]), "".join(["a", "b"])
box.x = None


def write():
    box.x = one


def other_write():
    box.x = other


run(write, other_write)
assert box.x is other
