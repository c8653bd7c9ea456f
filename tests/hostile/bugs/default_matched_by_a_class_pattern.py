"""A class pattern gets an attribute from the class until a thread stores it in the instance."""

import threading


class Point:
    x = 0


point = Point()


def matched():
    match point:
        case Point(x=found):
            return found


def look():
    assert matched() == matched()


def change():
    point.x = 5


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
