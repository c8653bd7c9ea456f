"""An iterator over a chain of maps goes over the keys that there were when it was made."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = {"a": 1}
chain = collections.ChainMap({}, inner)


def look():
    assert "".join(map(str, chain)) == "a"


run(look, inner.clear)
