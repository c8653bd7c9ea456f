"""Each thread goes through the matches of an expression, which calls a scanner of its own for each."""

import re
import threading

number = re.compile(r"\d+")
found = {}


def find(name, text):
    found[name] = [int(each.group()) for each in re.finditer(number, text)]


threads = [threading.Thread(target=find, args=each) for each in (("one", "1 2 3 4"), ("two", "5 6 7 8"))]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert found == {"one": [1, 2, 3, 4], "two": [5, 6, 7, 8]}
