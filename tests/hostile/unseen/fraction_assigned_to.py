"""A number in Python is changed past its class."""

import fractions
import threading

half = fractions.Fraction(1, 2)
seen = []

threads = [
    threading.Thread(target=lambda: setattr(half, "_denominator", 3)),
    threading.Thread(target=lambda: seen.append(half + 1)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0].denominator == 3
