"""All logging is disabled while another thread asks whether its logger is enabled."""

import logging
import threading

log = logging.Logger("own")
seen = []


def first():
    seen.append(log.isEnabledFor(logging.DEBUG))


def second():
    logging.disable(logging.CRITICAL)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
logging.disable(logging.NOTSET)
assert seen == [True]
