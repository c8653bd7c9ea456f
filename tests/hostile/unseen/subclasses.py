"""A class is asked for its subclasses while another thread makes one."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Base:
    pass


def write():
    class One(Base):
        pass

    global keep
    keep = One


def look():
    a = len(Base.__subclasses__())
    b = len(Base.__subclasses__())
    assert a == b


run(write, look)
