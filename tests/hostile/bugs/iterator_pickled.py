"""A pickled iterator over an object has the content of the object."""

import pickle
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Numbers:
    def __init__(self):
        self.inner = [1, 2]

    def __getitem__(self, index):
        return self.inner[index]

    def __len__(self):
        return len(self.inner)


numbers = Numbers()
backwards = reversed(numbers)


def look():
    assert list(pickle.loads(pickle.dumps(backwards))) != [5, 1]


def change():
    numbers.inner[1] = 5


run(look, change)
