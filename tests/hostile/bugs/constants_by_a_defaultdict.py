"""A decoder that calls a method of a dictionary adds a missing key."""

import collections
import json
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    json.loads("NaN", parse_constant=meanings.__getitem__)


def b():
    assert len(meanings) == 1


meanings = collections.defaultdict(int)
run(a, b)
