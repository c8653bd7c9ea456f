"""Dataclass field default_factory=items.pop (C) called by generated __init__."""

import dataclasses
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


@dataclasses.dataclass
class Job:
    n: int = dataclasses.field(default_factory=items.pop)


def work():
    if items:
        Job()


run(work, work)
