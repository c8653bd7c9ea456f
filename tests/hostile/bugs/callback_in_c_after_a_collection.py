"""An object ends, and a method in C is called that changes a list; garbage was collected before there were threads."""

import gc
import threading
import weakref


class Thing:
    pass


thing, gone = Thing(), []
reference = weakref.ref(thing, gone.append)
gc.collect()


def look():
    assert len(gone) == len(gone)


def let_go():
    global thing
    thing = None


threads = [threading.Thread(target=each) for each in (look, let_go)]
for each in threads:
    each.start()
for each in threads:
    each.join()
