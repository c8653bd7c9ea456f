"""`popitem(last=False)` takes the first key, which `move_to_end` may have moved."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


recent = collections.OrderedDict(a=1, b=2)
run(lambda: recent.move_to_end("a"), lambda: recent.popitem(last=False))
assert "b" in recent
