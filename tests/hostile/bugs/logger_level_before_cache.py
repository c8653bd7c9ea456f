"""A logger is asked between the assignment of its new level and the emptying of its cache."""

import logging
import threading

log = logging.getLogger("own")
log.setLevel(logging.WARNING)
log.info("fills the cache")
seen = []


def ask():
    seen.append(log.level == logging.INFO and not log.isEnabledFor(logging.INFO))


def want():
    log.setLevel(logging.INFO)


threads = [threading.Thread(target=each) for each in (ask, want)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not seen[0]
