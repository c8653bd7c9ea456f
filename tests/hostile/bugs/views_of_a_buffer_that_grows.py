"""A thread stores a byte by a view of its own; meanwhile the buffer can't grow."""

import threading

buffer = bytearray(2)


def store():
    view = memoryview(buffer)
    view[0] = 1


threads = [threading.Thread(target=store), threading.Thread(target=lambda: buffer.append(1))]
for each in threads:
    each.start()
for each in threads:
    each.join()
