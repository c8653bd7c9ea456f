"""A cached property is stored after it was computed: others see it come."""

import functools
import threading


class Thing:
    @functools.cached_property
    def size(self):
        return 1


thing = Thing()


def look():
    thing.size


def peek():
    before = "size" in vars(thing)
    assert before == ("size" in vars(thing))


threads = [threading.Thread(target=look), threading.Thread(target=peek)]
for each in threads:
    each.start()
for each in threads:
    each.join()
