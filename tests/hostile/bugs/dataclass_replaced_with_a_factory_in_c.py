"""`dataclasses.replace()` makes an object by the class's initialiser, which calls a method in C of a shared list."""

import dataclasses
import threading

numbers = [1, 2, 3, 4]


@dataclasses.dataclass
class Job:
    name: str = ""
    number: int = dataclasses.field(default_factory=numbers.pop, init=False)


job = Job()


def use():
    left = len(numbers)
    dataclasses.replace(job, name="second")
    assert len(numbers) == left - 1


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
