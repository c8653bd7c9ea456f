"""A cached property of two objects, computed under the program's own lock (gh-87634, h5py #2064)."""

# package: CPython
# include: functools
# property: deadlock
# in: functools.py
# fails with: deadlock
# found by: check

import threading
from functools import cached_property

lock = threading.RLock()


class Dataset:
    @cached_property
    def size(self):
        with lock:
            return 42


def read():
    assert Dataset().size == 42


def read_locked():
    with lock:
        assert Dataset().size == 42


threads = [threading.Thread(target=read), threading.Thread(target=read_locked)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
