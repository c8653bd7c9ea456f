"""Each thread gets its own copy of an object, made by way of ``__dict__``, as dataclasses and rich's options are."""

import threading


class Options:
    def __init__(self):
        self.width = 80
        self.height = 20

    def with_width(self, width):
        other = Options.__new__(Options)
        other.__dict__ = self.__dict__.copy()
        other.width = width
        return other


def main():
    shared, seen = Options(), []

    def use(width):
        mine = shared.with_width(width)
        mine.height += 1
        seen.append((mine.width, mine.height, vars(mine)["width"]))

    threads = [threading.Thread(target=use, args=(width,)) for width in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [(1, 21, 1), (2, 21, 2)]
    assert shared.width == 80


main()
