"""Two threads list the dates of one rule; keptm."""

# package: python-dateutil
# include: dateutil
# expect: correct

import datetime

from dateutil.rrule import DAILY, rrule
from together import run


def test():
    rule = rrule(DAILY, count=2, dtstart=datetime.datetime(2020, 1, 1), cache=True)
    seen = []
    run(lambda: seen.append([date.day for date in rule]), lambda: seen.append([date.day for date in rule]))
    assert seen == [[1, 2], [1, 2]]
