"""Two threads let go of one object by different variables: the one that does so last calls the function that a weak
reference has for its end."""

import threading
import weakref


class Thing:
    pass


def main():
    thing = Thing()
    reference = weakref.ref(thing, lambda _: ended.append(threading.current_thread() is threading.main_thread()))
    one, two = [thing], [thing]
    del thing
    thread = threading.Thread(target=one.clear)
    thread.start()
    two.clear()
    thread.join()
    assert reference() is None


ended = []
main()
assert ended == [True]
