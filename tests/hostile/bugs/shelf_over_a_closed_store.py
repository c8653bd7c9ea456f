"""The store of a shelf is closed while another thread goes through the shelf, in code that is not instrumented."""

import dbm.dumb
import os
import shelve
import tempfile
import threading

store = dbm.dumb.open(os.path.join(tempfile.mkdtemp(), "store"))
shelf = shelve.Shelf(store)
seen = []


def first():
    try:
        seen.append(sorted(shelf))
    except OSError:
        seen.append(None)


def second():
    store.close()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [[]]
