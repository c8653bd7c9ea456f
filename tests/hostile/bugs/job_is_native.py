"""A job of a pool that is a method of a dictionary."""

import concurrent.futures
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {"a": 1}


def look():
    if "a" in table:
        return table["a"]


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    jobs = [pool.submit(look), pool.submit(table.pop, "a")]
for each in jobs:
    each.result()
