"""A selector that another thread closes has no number any more."""

import selectors
import threading

selector = selectors.EpollSelector()
seen = []


def look():
    try:
        seen.append(selector.fileno() > 0)
    except ValueError:
        seen.append(False)


threads = [threading.Thread(target=look), threading.Thread(target=selector.close)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
