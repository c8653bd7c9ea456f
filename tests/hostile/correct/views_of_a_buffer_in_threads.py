"""Threads store bytes of one buffer, each by a view that it has made."""

import threading

buffer = bytearray(2)


def store(index):
    memoryview(buffer)[index] = index + 1


threads = [threading.Thread(target=store, args=(index,)) for index in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert buffer == b"\1\2"
