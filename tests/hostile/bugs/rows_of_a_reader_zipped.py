"""A function in C that goes over an iterator in Python of the library reads the list behind that."""

import csv
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lines = ["a,b", "c,d", "e,f"]
rows = csv.DictReader(lines)


def look():
    assert len(list(zip(rows, "xyz"))) == 2


run(look, lines.pop)
