"""While there is a view of its bytes, a stream can not be closed."""

import io
import threading

thing = io.BytesIO(b"abc")
view = thing.getbuffer()


def first():
    view.release()


def second():
    thing.close()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
