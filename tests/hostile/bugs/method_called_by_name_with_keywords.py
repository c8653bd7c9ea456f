"""`methodcaller` calls a method in C with named arguments."""

import operator
import threading

items = [1, 2]
sort = operator.methodcaller("sort", reverse=True)

threads = [threading.Thread(target=sort, args=(items,)), threading.Thread(target=items.append, args=(3,))]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert items == [2, 1, 3]
