"""Bound methods in C that know which class defines them are of a type of their own (array.extend, re.Pattern.sub)."""

import array
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = array.array("i", [1])
extend = numbers.extend


def grow():
    extend([2])


def look():
    before = len(numbers)
    assert len(numbers) == before


run(grow, look)
