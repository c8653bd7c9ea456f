"""The manager of the loggers has an attribute that `logging.disable` sets."""

import logging
import threading

seen = []

threads = [
    threading.Thread(target=lambda: seen.append(logging.root.manager.disable)),
    threading.Thread(target=lambda: logging.disable(50)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [0]
