"""A shelf is used by methods that it inherits from the library's interfaces, while another thread closes it."""

import shelve
import threading

shelf = shelve.Shelf({})
seen = []


def use():
    try:
        seen.append(shelf.pop("a", None))
        seen.append(shelf.setdefault("b", 2))
    except ValueError:
        seen.append("closed")


threads = [threading.Thread(target=each) for each in (use, shelf.close)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [None, "closed"]
