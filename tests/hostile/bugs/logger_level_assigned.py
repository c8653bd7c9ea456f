"""A level is assigned to a logger, whose cache keeps an earlier answer if another thread has asked before."""

import logging
import threading

log = logging.getLogger("own")
log.setLevel(logging.WARNING)


def ask():
    log.info("not wanted yet, perhaps")


def want():
    log.level = logging.INFO


threads = [threading.Thread(target=each) for each in (ask, want)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert log.isEnabledFor(logging.INFO)
