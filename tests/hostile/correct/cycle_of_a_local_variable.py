"""An object in a cycle that is looked for by a weak reference lasts as long as the main thread has it."""

import threading
import weakref


class Thing:
    def __init__(self):
        self.me = self


def main():
    thing = Thing()
    references = {"thing": weakref.ref(thing)}
    lock = threading.Lock()
    seen = []

    def look():
        with lock:
            seen.append(references["thing"]() is not None)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [True, True]


main()
