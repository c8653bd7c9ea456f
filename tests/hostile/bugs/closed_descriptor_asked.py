"""A thread asks for a flag of a pipe's end that another thread closes; if that goes first, no end is known any more."""

import os
import threading

reading, writing = os.pipe()
seen = []


def close():
    os.close(writing)


def ask():
    try:
        seen.append(os.get_blocking(writing))
    except OSError:
        seen.append(None)


threads = [threading.Thread(target=close), threading.Thread(target=ask)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert seen == [None], seen
