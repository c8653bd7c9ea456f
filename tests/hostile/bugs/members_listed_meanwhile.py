"""`inspect.getmembers` lists the names first, and then gets the values."""

import inspect
import threading


class Box:
    pass


box = Box()
box.first = 1
seen = []

threads = [
    threading.Thread(
        target=lambda: seen.append([each for each in inspect.getmembers(box) if not each[0].startswith("__")])
    ),
    threading.Thread(target=lambda: vars(box).update(first=2, second=3)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0] in ([("first", 1)], [("first", 2), ("second", 3)]), seen
