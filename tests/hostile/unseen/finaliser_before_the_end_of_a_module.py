"""A module looks for the effect of a finaliser after its function has returned."""

import threading

done = []


class Box:
    def __init__(self, inner=None):
        self.me = self
        self.inner = inner
        self.items = []

    def __del__(self):
        done.append(1)


def main():
    box = Box()
    thread = threading.Thread(target=box.items.append, args=(1,))
    other = threading.Thread(target=box.items.append, args=(2,))
    thread.start()
    other.start()
    thread.join()
    other.join()


main()
assert not done
