"""Keys that are equal and not the same object: the counts are the same item."""

import dataclasses
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@dataclasses.dataclass(frozen=True)
class Key:
    name: str


counts = {Key("a"): 0}


def count():
    counts[Key("a")] += 1


run(count, count)
assert counts[Key("a")] == 2
