"""A thread gets an entry of a cache, or None, while another one removes it; the documentation asks for a lock."""

# package: cachetools
# include: cachetools
# property: check-then-act
# in: cachetools/__init__.py
# fails with: KeyError

import threading

from cachetools import Cache


def main():
    cache = Cache(maxsize=2)
    cache["user"] = 1
    threads = [threading.Thread(target=cache.get, args=("user",)), threading.Thread(target=cache.pop, args=("user",))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
