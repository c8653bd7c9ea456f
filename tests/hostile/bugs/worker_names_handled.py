"""A handler of the program keeps the names of threads in records: one worker has both tasks, or each has one."""

import logging
from concurrent.futures import ThreadPoolExecutor

names = []


class Names(logging.Handler):
    def emit(self, record):
        names.append(record.threadName)


log = logging.getLogger("names")
log.addHandler(Names())


def task(number):
    log.warning("task %d", number)


with ThreadPoolExecutor(2) as pool:
    pool.submit(task, 0).result()
    pool.submit(task, 1)
assert len(set(names)) == 1
