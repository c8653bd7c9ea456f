"""Timer args0."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


seen = []
t = threading.Timer(0.0, seen.append, ["a"])
t.start()
t.args = ["b"]
t.join()
assert seen == ["b"]
