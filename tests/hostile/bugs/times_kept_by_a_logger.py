"""A logger of the program keeps the times of records, which need not be in the order of its calls."""

import logging
import threading

seen = []


class Keeping(logging.Logger):
    def handle(self, record):
        seen.append(record.created)


log = Keeping("times")


def first():
    log.warning("a")


def second():
    log.warning("b")


threads = [threading.Thread(target=each) for each in (first, second)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert seen == sorted(seen)
