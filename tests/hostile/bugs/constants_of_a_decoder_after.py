"""A decoder that goes by a method of a dictionary is used after others have changed that."""

import json
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    decoder = json.JSONDecoder(parse_constant=meanings.get)
    ready.set()
    assert decoder.decode("[NaN]") == [1]


def b():
    ready.wait()
    meanings["NaN"] = 2


meanings = {"NaN": 1}
ready = threading.Event()
run(a, b)
