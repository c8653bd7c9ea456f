"""A directory is removed that another thread changes to: a look for it is part of that, whether it fails or not."""

import os
import tempfile
import threading

folder = os.path.join(tempfile.mkdtemp(), "inside")
os.mkdir(folder)
before = os.getcwd()
seen = []


def first():
    os.rmdir(folder)


def second():
    try:
        os.chdir(folder)
        seen.append(1)
    except FileNotFoundError:
        pass


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
os.chdir(before)
assert seen == []
