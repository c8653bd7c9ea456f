"""A callable object in an attribute is replaced by itself, as it is called."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Step:
    def __init__(self, number):
        self.number = number

    def __call__(self):
        box.step = Step(self.number + 1)


class Box:
    pass


def work():
    box.step()


box = Box()
box.step = Step(0)
run(work, work)
assert box.step.number == 2
