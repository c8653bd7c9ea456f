"""Finalisers of objects in cycles that the main thread keeps to its end."""

import threading

done = []


class Box:
    def __init__(self):
        self.me = self
        self.items = []

    def __del__(self):
        done.append(1)


def main():
    box = Box()
    threads = [threading.Thread(target=box.items.append, args=(each,)) for each in (1, 2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(box.items) == [1, 2]
    assert not done


main()
