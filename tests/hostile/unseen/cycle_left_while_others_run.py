"""An object in a cycle that the main thread lets go of while another one looks for it."""

import gc
import threading
import weakref


class Thing:
    def __init__(self):
        self.me = self


def main():
    thing = Thing()
    reference = weakref.ref(thing)
    seen = []

    def look():
        seen.append(reference() is not None)
        gc.collect()
        seen.append(reference() is not None)

    thread = threading.Thread(target=look)
    thread.start()
    del thing
    thread.join()
    assert seen == [True, True], seen


main()
