"""`enumerate` begins with the values of a dictionary, and `list` goes through them: others may move in between."""

import threading

table = {1: "a"}


def grow():
    table[2] = "b"


def look():
    list(enumerate(table.values()))


threads = [threading.Thread(target=each) for each in (look, grow)]
for each in threads:
    each.start()
for each in threads:
    each.join()
