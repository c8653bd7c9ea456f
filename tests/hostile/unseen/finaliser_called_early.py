"""A finaliser is called by one thread while another one drops its object, and expects it to be done."""

import threading
import weakref


class Thing:
    pass


done = []
box = [Thing()]
end = weakref.finalize(box[0], done.append, 1)
counts = []


def drop():
    box.clear()
    counts.append(len(done))


threads = [threading.Thread(target=each) for each in (drop, end)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert counts == [1]
