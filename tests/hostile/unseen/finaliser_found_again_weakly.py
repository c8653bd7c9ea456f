"""A finaliser, whose object a weak reference gives back after it was garbage."""

import threading
import weakref

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
    ref = weakref.ref(holder.box)

    def drop():
        holder.box = None

    def look():
        assert not done
        found = ref()
        if found is not None:
            holder.box = found

    thread = threading.Thread(target=drop)
    other = threading.Thread(target=look)
    thread.start()
    other.start()
    thread.join()
    other.join()


main()
