"""A call of a class gives the object that another thread has already; the one that lets go of it last ends it."""

import threading

kept = []


class Counted:
    def __new__(cls):
        return kept[0] if kept else super().__new__(cls)

    def __del__(self):
        ended.append(threading.current_thread() is threading.main_thread())


def main():
    thing = Counted()
    kept.append(thing)
    one, two = [thing], []
    del thing
    thread = threading.Thread(target=one.clear)
    thread.start()
    two.append(Counted())
    kept.clear()
    two.clear()
    thread.join()


ended = []
main()
assert ended == [True]
