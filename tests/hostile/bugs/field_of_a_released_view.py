"""A view is released, which another thread asks for its length: a field of an object in C."""

import threading

view = memoryview(bytearray(b"abc"))
seen = []


def first():
    try:
        seen.append(view.nbytes)
    except ValueError:
        seen.append(0)


def second():
    view.release()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [3]
