"""A thread lets go of an object in a cycle, for whose finaliser another one looks."""

import threading

done = []


class Box:
    def __init__(self, inner=None):
        self.me = self
        self.inner = inner
        self.items = []

    def __del__(self):
        done.append(1)


class Plain:
    pass


def main():
    holder = Plain()
    holder.me = holder
    holder.box = Box()

    def drop():
        holder.box = None

    def look():
        assert not done

    thread = threading.Thread(target=drop)
    other = threading.Thread(target=look)
    thread.start()
    other.start()
    thread.join()
    other.join()


main()
