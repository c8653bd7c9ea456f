"""Threads look into one persistent map in C, and derive from it."""

import threading

import rpds

found = rpds.HashTrieMap({"a": 1, "b": len})
made = rpds.List([1, 2])


def use():
    mine = found.insert("c", 3)
    assert mine["c"] == 3 and found.get("c") is None and "a" in found and len(found) == 2
    assert made.push_front(0).first == 0 and made.first == 1


threads = [threading.Thread(target=use) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
