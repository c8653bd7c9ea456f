"""A function in C that a thread gives to `json.dumps` changes a list that another one looks at."""

import json
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    json.dumps({"a": object()}, default=found.append)


def b():
    assert len(found) == 1


found = []
run(a, b)
