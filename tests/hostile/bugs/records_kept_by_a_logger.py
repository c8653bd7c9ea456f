"""A logger of the program keeps records before any handler gets them: both tasks may be of one worker."""

import logging
from concurrent.futures import ThreadPoolExecutor

names = []


class Keeping(logging.Logger):
    def handle(self, record):
        names.append(record)


log = Keeping("names")


def task(number):
    log.warning("task %d", number)


with ThreadPoolExecutor(2) as pool:
    pool.submit(task, 0).result()
    pool.submit(task, 1)
assert len({each.threadName for each in names}) == 2
