"""`attr.evolve()` calls the class, whose initialiser calls a method in C of a list that threads share."""

import threading

import attr

numbers = [1, 2, 3, 4]


@attr.s
class Job:
    name = attr.ib(default="")
    number = attr.ib(factory=numbers.pop, init=False)


job = Job()


def use():
    left = len(numbers)
    attr.evolve(job, name="second")
    assert len(numbers) == left - 1


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
