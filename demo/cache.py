"""A price look-up, cached; two requests arrive just when the cached price has expired (at once, to keep this short)."""

import threading

from cachetools import TTLCache, cached


@cached(TTLCache(maxsize=10, ttl=0))
def price(article):
    return len(article)


def main():
    price("tea")
    threads = [threading.Thread(target=price, args=(article,)) for article in ("tea", "milk")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
