"""Set name of own."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Field:
    def __set_name__(self, owner, name):
        self.name = name


def one():
    class A:
        x = Field()

    assert A.__dict__["x"].name == "x"


run(one, one)
