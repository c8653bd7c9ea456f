"""An iterator whose dictionary has changed stays of no use, also where it was sorted with a key in C."""

import threading

data = {1: 2, 3: 4}
items = iter(data.items())
seen = []


def use():
    data.pop(3, None)
    for attempt in (lambda: sorted(items, key=str), lambda: next(items, None)):
        try:
            seen.append(attempt())
        except RuntimeError:
            seen.append("RuntimeError")
        data.setdefault(5, 6)


def look():
    data.get(1)


threads = [threading.Thread(target=use), threading.Thread(target=look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == ["RuntimeError", "RuntimeError"], seen
