"""A function in C keeps sorted a list behind an object that passes attributes on."""

import bisect
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Proxy:
    def __init__(self, behind):
        self.behind = behind

    def __getattr__(self, name):
        return getattr(self.behind, name)

    def __getitem__(self, key):
        return self.behind[key]

    def __len__(self):
        return len(self.behind)


numbers = Proxy([1, 3])


def look():
    assert len(numbers) != 2


run(lambda: bisect.insort(numbers, 2), look)
