"""An object in a cycle that the main thread looks for when it has let go of it, and all others have ended."""

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
    thread = threading.Thread(target=lambda: seen.append(reference() is not None))
    thread.start()
    thread.join()
    del thing
    gc.collect()
    assert reference() is not None


main()
