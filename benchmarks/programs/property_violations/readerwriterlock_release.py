"""Two threads give up one lock for writing; one of them learns that it is not locked, as documented."""

# package: readerwriterlock
# include: readerwriterlock
# property: double-release
# in: readerwriterlock/rwlock.py
# found by: check

import threading

from readerwriterlock.rwlock import RELEASE_ERR_CLS, RWLockRead

writer = RWLockRead().gen_wlock()


def give_up():
    try:
        writer.release()
    except RELEASE_ERR_CLS:
        pass  # as documented: it is not locked any more


writer.acquire()
threads = [threading.Thread(target=give_up) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
