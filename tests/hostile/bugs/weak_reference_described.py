"""The description of a weak reference says whether its object lives."""

import threading
import weakref


class Thing:
    pass


box = [Thing()]
one, two = weakref.ref(box[0], lambda _: None), weakref.ref(box[0])


def drop():
    box.clear()


def look():
    assert "dead" not in repr(one)


threads = [threading.Thread(target=each) for each in (look, drop)]
for each in threads:
    each.start()
for each in threads:
    each.join()
