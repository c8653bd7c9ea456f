"""Subclasses under a lock."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Base:
    kinds = []
    lock = threading.Lock()

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        with Base.lock:
            Base.kinds.append(cls)


def one():
    class A(Base):
        pass


def two():
    class B(Base):
        pass


run(one, two)
assert len(Base.kinds) == 2
