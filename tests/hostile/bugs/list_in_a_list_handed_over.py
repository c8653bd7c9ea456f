"""Code that is not explored reads the lists in the list that it is given."""

import threading
from email.utils import getaddresses

thing = ["a@b"]
same = []


def look():
    first = getaddresses([thing])
    second = getaddresses([thing])
    same.append(first == second)


def change():
    thing[0] = "c@d"


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
