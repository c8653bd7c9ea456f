"""Two weak references to one object are equal as long as it lives."""

import threading
import weakref


class Thing:
    pass


box = [Thing()]
one, two = weakref.ref(box[0], lambda _: None), weakref.ref(box[0])


def drop():
    box.clear()


def look():
    assert one == two


threads = [threading.Thread(target=each) for each in (look, drop)]
for each in threads:
    each.start()
for each in threads:
    each.join()
