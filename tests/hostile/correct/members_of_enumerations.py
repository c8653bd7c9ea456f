"""Members' names and values never change: one execution shows all."""

import enum
import threading


class Colour(enum.Enum):
    RED = enum.auto()
    BLUE = enum.auto()


class Level(enum.IntFlag):
    LOW = 1
    HIGH = 2


def look():
    for member in (Colour.RED, Level.LOW, Level.LOW | Level.HIGH):
        assert type(member)(member.value) is member
        assert member.name and repr(member)


threads = [threading.Thread(target=look) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
