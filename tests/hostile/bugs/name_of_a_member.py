"""A member of an enumeration gets another name by way of its dictionary."""

import enum
import threading


class Colour(enum.IntEnum):
    RED = 1


def rename():
    Colour.RED.__dict__["_name_"] = "BLUE"


def look():
    assert Colour.RED.name == "RED"


threads = [threading.Thread(target=each) for each in (rename, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
