"""An object ends while another thread asks whether its finaliser is alive."""

import threading
import weakref


class Thing:
    pass


box = [Thing()]
end = weakref.finalize(box[0], int)
seen = []


def first():
    seen.append(end.alive)


def second():
    box.clear()


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
