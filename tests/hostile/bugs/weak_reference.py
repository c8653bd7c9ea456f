"""An object ends between two looks at it."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Thing:
    size = 1


box = [Thing()]
thing = weakref.ref(box[0])


def look():
    if thing() is not None:
        thing().size


run(look, box.clear)
