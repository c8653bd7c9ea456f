"""Tzset timestamp."""

import datetime
import os
import threading
import time


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


os.environ["TZ"] = "UTC"
time.tzset()


def zone():
    os.environ["TZ"] = "XXX+5"
    time.tzset()


def use():
    a = datetime.datetime(2020, 1, 1)
    assert a.timestamp() == a.timestamp()


run(zone, use)
