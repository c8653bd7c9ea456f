"""A handler is removed from a logger whose list of handlers another thread looks at."""

import io
import logging
import threading

log = logging.Logger("log")
log.addHandler(logging.StreamHandler(io.StringIO()))
seen = []


def remove():
    log.removeHandler(log.handlers[0])


def look():
    seen.append(len(log.handlers))
    seen.append(len(log.handlers))


threads = [threading.Thread(target=each) for each in (remove, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [1, 0], seen
