"""Warnings are recorded in the order in which threads issue them."""

import threading
import warnings

with warnings.catch_warnings(record=True) as recorded:
    warnings.simplefilter("always")
    threads = [threading.Thread(target=warnings.warn, args=(text,)) for text in ("first", "second")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
assert str(recorded[0].message) == "first"
