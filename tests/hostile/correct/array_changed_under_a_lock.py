"""Operations on a large array under a lock; looks at another one that never changes."""

import threading
import xml.etree.ElementTree

import numpy as np

values, factors, ones = np.zeros(1_000), np.arange(1_000), np.ones(1_000)
tree = xml.etree.ElementTree.fromstring("<a><b x='1'>text</b></a>")
lock = threading.Lock()


def add():
    global values
    with lock:
        values += 1
    assert np.sum(factors) == factors.sum() == np.dot(factors, ones)
    assert tree.find("b").get("x") == "1"
    assert [each.text for each in tree.iter("b")] == ["text"]


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert (values == 2).all()
