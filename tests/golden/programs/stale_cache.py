"""A value is put into a cache after the entry has been made invalid."""

import threading

stored, cache = {"price": 1}, {}


def look():
    if "price" not in cache:
        cache["price"] = stored["price"]
    return cache["price"]


def change():
    stored["price"] = 2
    cache.pop("price", None)


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert look() == 2
