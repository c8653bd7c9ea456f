"""A method of a number sets flags of the context that it is given."""

import decimal
import threading

context = decimal.Context(prec=5)
two = decimal.Decimal(2)
seen = []

threads = [
    threading.Thread(target=lambda: two.sqrt(context)),
    threading.Thread(target=lambda: seen.append(context.flags[decimal.Inexact])),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
