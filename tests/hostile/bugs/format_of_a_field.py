"""`str.format` gets at items and attributes by name."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {"a": 1}


def look():
    if "a" in table:
        "{x[a]}".format(x=table)


run(look, lambda: table.pop("a"))
