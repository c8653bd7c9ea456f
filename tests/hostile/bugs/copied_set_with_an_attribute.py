"""A set of a derived class is copied with its attributes while a thread stores one that its class gave so far."""

import copy
import threading


class Tags(set):
    owner = ""


tags = Tags()


def look():
    assert copy.copy(tags).owner == copy.copy(tags).owner


def change():
    tags.owner = "me"


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
