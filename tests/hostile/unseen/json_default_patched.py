"""Json default patched."""

import json
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def d(self, o):
    return 5


old = json.JSONEncoder.default


def a():
    json.JSONEncoder.default = d
    json.JSONEncoder.default = old


def b():
    try:
        json.dumps(object())
    except TypeError:
        return
    assert False


run(a, b)
