"""A stream, which is an iterator, is a key of a weak dictionary."""

import io
import threading
import weakref

locks = weakref.WeakKeyDictionary()
stream = io.StringIO()
guard = threading.Lock()


def work():
    with guard:
        lock = locks.get(stream)
        if lock is None:
            lock = locks[stream] = threading.Lock()
    with lock:
        stream.write("x")


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert stream.getvalue() == "xx"
