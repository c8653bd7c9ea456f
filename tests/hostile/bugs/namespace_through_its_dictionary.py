"""A namespace is described while another thread changes it by way of its dictionary."""

import threading
import types

counts = types.SimpleNamespace(a=1)
seen = []


def describe():
    seen.append(repr(counts))


def count_and_take():
    counts.a += 1
    vars(counts).pop("a", None)


threads = [threading.Thread(target=describe), threading.Thread(target=count_and_take)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0] != "namespace(a=2)"
