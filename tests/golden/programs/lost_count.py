"""Two threads count hits in a Counter."""

import threading
from collections import Counter

hits = Counter()


def hit(page):
    hits[page] += 1


threads = [threading.Thread(target=hit, args=("/",)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert hits["/"] == 2, hits
