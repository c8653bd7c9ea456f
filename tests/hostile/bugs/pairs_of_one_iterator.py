"""A `zip` of an iterator with itself reads two elements of the list for each pair."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = [1, 2]
each = iter(numbers)
pairs = zip(each, each)


def look():
    for pair in pairs:
        assert pair == (1, 2)


def change():
    numbers[1] = 3


run(look, change)
