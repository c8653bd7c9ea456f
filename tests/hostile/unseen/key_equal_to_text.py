"""A key of a class of the program equals a text: its value is found, and changed, by either."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Key:
    def __hash__(self):
        return hash("a")

    def __eq__(self, other):
        return other == "a" or isinstance(other, Key)


things = {Key(): 1}


def look():
    assert [*things.values()] != [2]


def change():
    things["a"] = 2


run(look, change)
