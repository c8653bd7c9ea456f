"""A task of a pool waits for another task of the same pool."""

from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=1)


def parse(text):
    return text.split()


def load(text):
    return len(pool.submit(parse, text).result())


print(pool.submit(load, "a b c").result())
