"""A descriptor is closed twice; in between, another thread may get its number."""

import os
import tempfile
import threading

folder = tempfile.mkdtemp()
ours = os.open(os.path.join(folder, "ours"), os.O_RDWR | os.O_CREAT)
failed = []


def close_twice():
    os.close(ours)
    try:
        os.close(ours)
    except OSError:
        pass


def write():
    theirs = os.open(os.path.join(folder, "theirs"), os.O_RDWR | os.O_CREAT)
    try:
        os.write(theirs, b"text")
    except OSError:
        failed.append("closed by another thread")


threads = [threading.Thread(target=close_twice), threading.Thread(target=write)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
