"""Two threads ask for one time zone and get one object: not if both set the default of a weak dictionary."""

# package: python-dateutil
# include: dateutil
# expect: bug
# shows: self.data[key] =

from dateutil import tz
from together import run


def test():
    seen = []
    run(lambda: seen.append(tz.tzoffset("X", 3600)), lambda: seen.append(tz.tzoffset("X", 3600)))
    assert seen[0] is seen[1]
