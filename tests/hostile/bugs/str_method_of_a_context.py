"""`object.__str__` asks the object for its `__repr__`, which shows its state."""

import decimal
import threading

context = decimal.Context(prec=5)
first = str(context)
seen = []


def look():
    seen.append(context.__str__())


def change():
    context.prec = 7


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [first]
