"""An error gets another class, with another default, while a thread reads the attribute twice."""

import threading


class Minor(KeyError):
    level = 1


class Major(Minor):
    level = 2


error = Minor("name")


def look():
    assert error.level == error.level


def change():
    error.__class__ = Major


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
