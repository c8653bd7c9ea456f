"""Four workers of a pool add to one total."""

from concurrent.futures import ThreadPoolExecutor

total = 0


def add(number):
    global total
    total += number


with ThreadPoolExecutor(4) as pool:
    list(pool.map(add, range(5)))
assert total == 10, total
